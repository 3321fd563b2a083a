DOCUMENTATION = r"""
name: saved_query
short_description: The hosts of a saved query of Mainline
description:
  - Reads a file that ends with C(mainline.yml) or C(mainline.yaml).
  - Groups are C(set_<name>) and C(module_<name>). Hosts are named by C(bk_host_name); equal names are made distinct.
  - Variables are C(ansible_host) and C(mainline_<attribute>). All values are marked unsafe.
extends_documentation_fragment:
  - constructed
  - inventory_cache
  - mainline.cmdb.connection
options:
  plugin:
    description: The name of this plugin.
    required: true
    choices: [mainline.cmdb.saved_query]
  business:
    description: The bk_biz_id of the business.
    type: int
    required: true
    env: [{name: MAINLINE_BUSINESS}]
  query:
    description: The id of the saved query.
    type: str
    required: true
    env: [{name: MAINLINE_QUERY}]
"""

EXAMPLES = r"""
plugin: mainline.cmdb.saved_query
url: https://mainline.example.org
business: 2
query: d3f1q0c2k9v8r7s6t5v0
keyed_groups:
  - {prefix: os, key: mainline_os_type}
"""

import json
from urllib.parse import quote

from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible_collections.mainline.cmdb.plugins.plugin_utils.api import read, unsafe


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):
    NAME = "mainline.cmdb.saved_query"

    def verify_file(self, path):
        return super().verify_file(path) and path.endswith(("mainline.yml", "mainline.yaml"))

    def parse(self, inventory, loader, path, cache=True):
        super().parse(inventory, loader, path, cache)
        self._read_config_data(path)
        found = json.loads(self._read(path, cache))
        for name, variables in found.pop("_meta")["hostvars"].items():
            self.inventory.add_host(name)
            for key, value in variables.items():
                self.inventory.set_variable(name, key, unsafe(_plain(value)))
        for name, group in found.items():
            # The group of all exists already.
            if "hosts" in group:
                self.inventory.add_group(name)
                for host in group["hosts"]:
                    self.inventory.add_host(host, group=name)
        for name in list(self.inventory.hosts):
            self._construct(name)

    def _read(self, path, cache):
        """The text of the answer: cached as it was sent, it cannot lose its marks in a cache."""
        business, query = self.get_option("business"), quote(self.get_option("query"), safe="")
        address = f"/integrations/ansible/{business}/{query}"
        if not self.get_option("cache"):
            return read(self, address)
        self.load_cache_plugin()
        key = f"{self.get_cache_key(path)}_{business}_{query}"
        text = self._cache.get(key) if cache else None
        if text is None:
            text = read(self, address)
            self._cache[key] = text
        return text

    def _construct(self, name):
        variables = self.inventory.get_host(name).get_vars()
        strict = self.get_option("strict")
        self._set_composite_vars(self.get_option("compose"), variables, name, strict=strict)
        self._add_host_to_composed_groups(self.get_option("groups"), variables, name, strict=strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), variables, name, strict=strict)


def _plain(value):
    """Text is sent as {"__ansible_unsafe": text}."""
    return value["__ansible_unsafe"] if isinstance(value, dict) else value
