DOCUMENTATION = r"""
name: records
short_description: Records of Mainline that match a condition
description: Answers one dictionary per record. All values are marked unsafe.
extends_documentation_fragment: mainline.cmdb.connection
options:
  _terms:
    description: What is searched for - C(biz), C(set), C(module), C(host), or any other object by its bk_obj_id.
    required: true
  business:
    description: The bk_biz_id of the business; required for C(set) and C(module).
    type: int
  set:
    description: The bk_set_id of the set; required for C(module).
    type: int
  condition:
    description: Attributes with their value, or with operators such as C({'$regex' - '^db'}).
    type: dict
    default: {}
  fields:
    description: The attributes that are answered; all of them when left out.
    type: list
    elements: str
    default: []
  account:
    description: The supplier account.
    type: str
    default: "0"
    env: [{name: MAINLINE_ACCOUNT}]
"""

EXAMPLES = r"""
- ansible.builtin.debug:
    msg: "{{ query('mainline.cmdb.records', 'set', business=2, condition={'bk_set_name': 'storefront'}) }}"
"""

RETURN = r"""
_raw:
  description: The records.
  type: list
  elements: dict
"""

from urllib.parse import quote

from ansible.errors import AnsibleOptionsError
from ansible.plugins.lookup import LookupBase
from ansible_collections.mainline.cmdb.plugins.plugin_utils.api import data_of, unsafe

PAGE = 200


class LookupModule(LookupBase):
    def run(self, terms, variables=None, **kwargs):
        self.set_options(var_options=variables, direct=kwargs)
        return [unsafe(record) for term in terms for record in self._records(term)]

    def _records(self, object_id):
        if object_id == "host":
            yield from self._hosts()
            return
        condition, fields = self.get_option("condition"), self.get_option("fields")
        start = 0
        while True:
            page = {"start": start, "limit": PAGE}
            body = {"condition": condition, "fields": fields, "page": page}
            found = data_of(self, self._path(object_id), body)
            yield from found["info"]
            start += PAGE
            if start >= found["count"]:
                return

    def _hosts(self):
        """By their ids, so that none is lost while others are added or removed."""
        fields = self.get_option("fields")
        entry = {
            "bk_obj_id": "host",
            "fields": [*fields, "bk_host_id"] if fields else [],
            "condition": list(_filters(self.get_option("condition"))),
        }
        business = self.get_option("business")
        after = 0
        while True:
            body = {"condition": [entry], "page": {"after": after, "limit": PAGE}}
            rows = data_of(self, "/hosts/search", {**body, **({} if business is None else {"bk_biz_id": business})})["info"]
            yield from (row["host"] for row in rows)
            if len(rows) < PAGE:
                return
            after = rows[-1]["host"]["bk_host_id"]

    def _path(self, object_id):
        account = quote(self.get_option("account"), safe="")
        if object_id == "biz":
            return f"/biz/search/{account}"
        if object_id == "set":
            return f"/set/search/{account}/{self._needed('business')}"
        if object_id == "module":
            return f"/module/search/{account}/{self._needed('business')}/{self._needed('set')}"
        return f"/inst/search/owner/{account}/object/{quote(object_id, safe='')}"

    def _needed(self, name):
        value = self.get_option(name)
        if value is None:
            raise AnsibleOptionsError(f"mainline.cmdb.records: '{name}' is required here")
        return value


def _filters(condition):
    for field, value in condition.items():
        operators = value if isinstance(value, dict) else {"$eq": value}
        for operator, operand in operators.items():
            yield {"field": field, "operator": operator, "value": operand}
