"""Every operation. Generated from the contract by `npm run openapi`: not edited by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from .caller import Caller
from .operation import Call, Operation
from .records import *

CREATE_BUSINESS = Operation("create_business", "POST", "/biz/{bk_supplier_account}", answers="envelope", has_body=True, takes_key=True)
ARCHIVE_BUSINESS = Operation("archive_business", "PUT", "/biz/status/disabled/{bk_supplier_account}/{bk_biz_id}", answers="envelope", takes_key=True)
RECOVER_BUSINESS = Operation("recover_business", "PUT", "/biz/status/enable/{bk_supplier_account}/{bk_biz_id}", answers="envelope", takes_key=True)
UPDATE_BUSINESS = Operation("update_business", "PUT", "/biz/{bk_supplier_account}/{bk_biz_id}", answers="envelope", has_body=True, takes_key=True)
DELETE_BUSINESS = Operation("delete_business", "DELETE", "/biz/{bk_supplier_account}/{bk_biz_id}", answers="envelope", takes_key=True)
SEARCH_BUSINESS = Operation("search_business", "POST", "/biz/search/{bk_supplier_account}", answers="envelope", has_body=True, paging="page")
SEARCH_RESOURCE_POOL = Operation("search_resource_pool", "POST", "/biz/default/{bk_supplier_account}/search", answers="envelope", has_body=True, paging="page")
CREATE_MAINLINE_OBJECT = Operation("create_mainline_object", "POST", "/topo/model/mainline", answers="envelope", has_body=True, takes_key=True)
DELETE_MAINLINE_OBJECT = Operation("delete_mainline_object", "DELETE", "/topo/model/mainline/owners/{bk_supplier_account}/objectids/{bk_obj_id}", answers="envelope", takes_key=True)
SEARCH_MAINLINE_OBJECT = Operation("search_mainline_object", "GET", "/topo/model/{bk_supplier_account}", answers="envelope")
GET_INST_TOPO = Operation("get_inst_topo", "GET", "/topo/inst/{bk_supplier_account}/{bk_biz_id}", answers="envelope")
SEARCH_INST_TOPO = Operation("search_inst_topo", "GET", "/topo/inst/child/{bk_supplier_account}/{bk_obj_id}/{bk_biz_id}/{bk_inst_id}", answers="envelope")
GET_INTERNAL_TOPO = Operation("get_internal_topo", "GET", "/topo/internal/{bk_supplier_account}/{bk_biz_id}", answers="envelope")
SEARCH_MAINLINE_NODE = Operation("search_mainline_node", "POST", "/topo/node/search/{bk_supplier_account}", answers="envelope", has_body=True, paging="page")
GET_BUSINESS_HOST_COUNT = Operation("get_business_host_count", "GET", "/topo/hostcount/{bk_supplier_account}", answers="envelope")
GET_TOPO_HOST_COUNT = Operation("get_topo_host_count", "GET", "/topo/hostcount/{bk_supplier_account}/{bk_biz_id}", answers="envelope")
CREATE_SET = Operation("create_set", "POST", "/set/{bk_biz_id}", answers="envelope", has_body=True, takes_key=True)
BATCH_DELETE_SET = Operation("batch_delete_set", "DELETE", "/set/{bk_biz_id}/batch", answers="envelope", has_body=True, takes_key=True)
UPDATE_SET = Operation("update_set", "PUT", "/set/{bk_biz_id}/{bk_set_id}", answers="envelope", has_body=True, takes_key=True)
DELETE_SET = Operation("delete_set", "DELETE", "/set/{bk_biz_id}/{bk_set_id}", answers="envelope", takes_key=True)
SEARCH_SET = Operation("search_set", "POST", "/set/search/{bk_supplier_account}/{bk_biz_id}", answers="envelope", has_body=True, paging="page")
CREATE_MODULE = Operation("create_module", "POST", "/module/{bk_biz_id}/{bk_set_id}", answers="envelope", has_body=True, takes_key=True)
UPDATE_MODULE = Operation("update_module", "PUT", "/module/{bk_biz_id}/{bk_set_id}/{bk_module_id}", answers="envelope", has_body=True, takes_key=True)
DELETE_MODULE = Operation("delete_module", "DELETE", "/module/{bk_biz_id}/{bk_set_id}/{bk_module_id}", answers="envelope", takes_key=True)
SEARCH_MODULE = Operation("search_module", "POST", "/module/search/{bk_supplier_account}/{bk_biz_id}/{bk_set_id}", answers="envelope", has_body=True, paging="page")
CREATE_INST = Operation("create_inst", "POST", "/inst/{bk_supplier_account}/{bk_obj_id}", answers="envelope", has_body=True, takes_key=True)
BATCH_DELETE_INST = Operation("batch_delete_inst", "DELETE", "/inst/{bk_supplier_account}/{bk_obj_id}/batch", answers="envelope", has_body=True, takes_key=True)
UPDATE_INST = Operation("update_inst", "PUT", "/inst/{bk_supplier_account}/{bk_obj_id}/{bk_inst_id}", answers="envelope", has_body=True, takes_key=True)
DELETE_INST = Operation("delete_inst", "DELETE", "/inst/{bk_supplier_account}/{bk_obj_id}/{bk_inst_id}", answers="envelope", takes_key=True)
SEARCH_INST = Operation("search_inst", "POST", "/inst/search/owner/{bk_supplier_account}/object/{bk_obj_id}", answers="envelope", has_body=True, paging="page")
SEARCH_ASSOCIATION_KIND = Operation("search_association_kind", "POST", "/topo/association/type/action/search", answers="envelope", has_body=True, paging="page")
CREATE_ASSOCIATION_KIND = Operation("create_association_kind", "POST", "/topo/association/type/action/create", answers="envelope", has_body=True, takes_key=True)
UPDATE_ASSOCIATION_KIND = Operation("update_association_kind", "PUT", "/topo/association/type/{id}/action/update", answers="envelope", has_body=True, takes_key=True)
DELETE_ASSOCIATION_KIND = Operation("delete_association_kind", "DELETE", "/topo/association/type/{id}/action/delete", answers="envelope", takes_key=True)
SEARCH_OBJECT_ASSOCIATION_BY_KIND = Operation("search_object_association_by_kind", "POST", "/topo/association/type/action/search/batch", answers="envelope", has_body=True)
CREATE_OBJECT_ASSOCIATION = Operation("create_object_association", "POST", "/object/association/action/create", answers="envelope", has_body=True, takes_key=True)
SEARCH_OBJECT_ASSOCIATION = Operation("search_object_association", "POST", "/object/association/action/search", answers="envelope", has_body=True)
UPDATE_OBJECT_ASSOCIATION = Operation("update_object_association", "PUT", "/object/association/{id}/action/update", answers="envelope", has_body=True, takes_key=True)
CREATE_INSTANCE_ASSOCIATION = Operation("create_instance_association", "POST", "/inst/association/action/create", answers="envelope", has_body=True, takes_key=True)
SEARCH_INSTANCE_ASSOCIATION = Operation("search_instance_association", "POST", "/inst/association/action/search", answers="envelope", has_body=True)
SEARCH_RELATED_INSTANCE_ASSOCIATION = Operation("search_related_instance_association", "POST", "/inst/association/related/action/search", answers="envelope", has_body=True)
SEARCH_INST_BY_ASSOCIATION = Operation("search_inst_by_association", "POST", "/inst/association/search/owner/{bk_supplier_account}/object/{bk_obj_id}", answers="envelope", has_body=True, paging="page")
SEARCH_INST_ASSOCIATION_TOPO = Operation("search_inst_association_topo", "POST", "/inst/association/topo/search/owner/{bk_supplier_account}/object/{bk_obj_id}/inst/{bk_inst_id}", answers="envelope")
GET_IMPACT = Operation("get_impact", "GET", "/impact/{bk_obj_id}/{bk_inst_id}", answers="envelope")
DELETE_INSTANCE_ASSOCIATION = Operation("delete_instance_association", "DELETE", "/inst/association/{association_id}/action/delete", answers="envelope", takes_key=True)
DELETE_OBJECT_ASSOCIATION = Operation("delete_object_association", "DELETE", "/object/association/{id}/action/delete", answers="envelope", takes_key=True)
SEARCH_HOST_FAVORITE = Operation("search_host_favorite", "POST", "/hosts/favorites/search", answers="envelope", has_body=True, paging="body")
CREATE_HOST_FAVORITE = Operation("create_host_favorite", "POST", "/hosts/favorites", answers="envelope", has_body=True, takes_key=True)
UPDATE_HOST_FAVORITE = Operation("update_host_favorite", "PUT", "/hosts/favorites/{id}", answers="envelope", has_body=True, takes_key=True)
DELETE_HOST_FAVORITE = Operation("delete_host_favorite", "DELETE", "/hosts/favorites/{id}", answers="envelope", takes_key=True)
INCREASE_HOST_FAVORITE = Operation("increase_host_favorite", "PUT", "/hosts/favorites/{id}/incr", answers="envelope", takes_key=True)
CREATE_HOST_HISTORY = Operation("create_host_history", "POST", "/hosts/history", answers="envelope", has_body=True, takes_key=True)
SEARCH_HOST_HISTORY = Operation("search_host_history", "GET", "/hosts/history/{start}/{limit}", answers="envelope", paging="path")
ADD_HOST = Operation("add_host", "POST", "/hosts/add", answers="envelope", has_body=True, takes_key=True)
SYNC_NEW_HOST = Operation("sync_new_host", "POST", "/hosts/sync/new/host", answers="envelope", has_body=True, takes_key=True)
UPDATE_HOST = Operation("update_host", "PUT", "/hosts/batch", answers="envelope", has_body=True, takes_key=True)
DELETE_HOST = Operation("delete_host", "DELETE", "/hosts/batch", answers="envelope", has_body=True, takes_key=True)
GET_HOST_DETAIL = Operation("get_host_detail", "GET", "/hosts/{bk_supplier_account}/{bk_host_id}", answers="envelope")
GET_HOST_SNAPSHOT = Operation("get_host_snapshot", "GET", "/hosts/snapshot/{bk_host_id}", answers="envelope")
SEARCH_HOST = Operation("search_host", "POST", "/hosts/search", answers="envelope", has_body=True, paging="page_by_id")
TRANSFER_HOST_MODULE = Operation("transfer_host_module", "POST", "/hosts/modules", answers="envelope", has_body=True, takes_key=True)
TRANSFER_HOST_TO_IDLEMODULE = Operation("transfer_host_to_idlemodule", "POST", "/hosts/modules/idle", answers="envelope", has_body=True, takes_key=True)
TRANSFER_HOST_TO_FAULTMODULE = Operation("transfer_host_to_faultmodule", "POST", "/hosts/modules/fault", answers="envelope", has_body=True, takes_key=True)
TRANSFER_HOST_TO_RESOURCEMODULE = Operation("transfer_host_to_resourcemodule", "POST", "/hosts/modules/resource", answers="envelope", has_body=True, takes_key=True)
TRANSFER_RESOURCEHOST_TO_IDLEMODULE = Operation("transfer_resourcehost_to_idlemodule", "POST", "/hosts/modules/resource/idle", answers="envelope", has_body=True, takes_key=True)
TRANSFER_SETHOST_TO_IDLE_MODULE = Operation("transfer_sethost_to_idle_module", "POST", "/hosts/modules/idle/set", answers="envelope", has_body=True, takes_key=True)
CREATE_CUSTOM_QUERY = Operation("create_custom_query", "POST", "/userapi", answers="envelope", has_body=True, takes_key=True)
UPDATE_CUSTOM_QUERY = Operation("update_custom_query", "PUT", "/userapi/{bk_biz_id}/{id}", answers="envelope", has_body=True, takes_key=True)
DELETE_CUSTOM_QUERY = Operation("delete_custom_query", "DELETE", "/userapi/{bk_biz_id}/{id}", answers="envelope", takes_key=True)
SEARCH_CUSTOM_QUERY = Operation("search_custom_query", "POST", "/userapi/search/{bk_biz_id}", answers="envelope", has_body=True, paging="body")
FIND_CUSTOM_QUERY = Operation("find_custom_query", "POST", "/userapi/find/{bk_supplier_account}", answers="envelope", has_body=True, paging="page")
GET_CUSTOM_QUERY_DETAIL = Operation("get_custom_query_detail", "GET", "/userapi/detail/{bk_biz_id}/{id}", answers="envelope")
GET_CUSTOM_QUERY_DATA = Operation("get_custom_query_data", "GET", "/userapi/data/{bk_biz_id}/{id}/{start}/{limit}", answers="envelope", paging="path")
PREVIEW_CUSTOM_QUERY = Operation("preview_custom_query", "POST", "/userapi/preview/{bk_biz_id}", answers="envelope", has_body=True, paging="body")
GET_PROMETHEUS_TARGETS = Operation("get_prometheus_targets", "GET", "/integrations/prometheus/{bk_biz_id}/{id}", answers="json")
GET_ANSIBLE_INVENTORY = Operation("get_ansible_inventory", "GET", "/integrations/ansible/{bk_biz_id}/{id}", answers="json")
GET_QUERY_CSV = Operation("get_query_csv", "GET", "/integrations/csv/{bk_biz_id}/{id}", answers="csv")
IMPORT_HOSTS = Operation("import_hosts", "POST", "/import/hosts/{bk_biz_id}", answers="lines")
IMPORT_TOPOLOGY = Operation("import_topology", "POST", "/import/topology/{bk_biz_id}", answers="lines")
GET_IMPORT_TEMPLATE = Operation("get_import_template", "GET", "/import/template/{bk_supplier_account}/{kind}", answers="file")
GET_HOST_FILE = Operation("get_host_file", "GET", "/export/hosts/{bk_biz_id}", answers="file")
GET_TOPOLOGY_FILE = Operation("get_topology_file", "GET", "/export/topology/{bk_biz_id}", answers="file")
GET_ESTATE = Operation("get_estate", "GET", "/export/estate/{bk_supplier_account}", answers="lines")
IMPORT_ESTATE = Operation("import_estate", "POST", "/import/estate/{bk_supplier_account}", answers="lines")
GET_ROLE_PRIVILEGE = Operation("get_role_privilege", "GET", "/topo/privilege/{bk_supplier_account}/{bk_obj_id}/{bk_property_id}", answers="envelope")
BIND_ROLE_PRIVILEGE = Operation("bind_role_privilege", "POST", "/topo/privilege/{bk_supplier_account}/{bk_obj_id}/{bk_property_id}", answers="envelope", has_body=True, takes_key=True)
CREATE_USER_GROUP = Operation("create_user_group", "POST", "/topo/privilege/group/{bk_supplier_account}", answers="envelope", has_body=True, takes_key=True)
SEARCH_USER_GROUP = Operation("search_user_group", "POST", "/topo/privilege/group/{bk_supplier_account}/search", answers="envelope", has_body=True)
UPDATE_USER_GROUP = Operation("update_user_group", "PUT", "/topo/privilege/group/{bk_supplier_account}/{group_id}", answers="envelope", has_body=True, takes_key=True)
DELETE_USER_GROUP = Operation("delete_user_group", "DELETE", "/topo/privilege/group/{bk_supplier_account}/{bk_group_id}", answers="envelope", takes_key=True)
GET_USER_PRIVILEGE = Operation("get_user_privilege", "GET", "/topo/privilege/user/detail/{bk_supplier_account}/{user_name}", answers="envelope")
SEARCH_GROUP_PRIVILEGE = Operation("search_group_privilege", "GET", "/topo/privilege/group/detail/{bk_supplier_account}/{group_id}", answers="envelope")
UPDATE_GROUP_PRIVILEGE = Operation("update_group_privilege", "POST", "/topo/privilege/group/detail/{bk_supplier_account}/{group_id}", answers="envelope", has_body=True, takes_key=True)
EXPLAIN_PRIVILEGE = Operation("explain_privilege", "GET", "/topo/privilege/explain/{bk_supplier_account}/{user_name}", answers="envelope")
SAVE_USER_CUSTOM = Operation("save_user_custom", "POST", "/usercustom", answers="envelope", has_body=True, takes_key=True)
SEARCH_USER_CUSTOM = Operation("search_user_custom", "POST", "/usercustom/user/search", answers="envelope")
GET_USER_DEFAULT_CUSTOM = Operation("get_user_default_custom", "POST", "/usercustom/default/search", answers="envelope")
GET_OPERATION_LOG = Operation("get_operation_log", "POST", "/audit/search", answers="envelope", has_body=True, paging="body")
GET_LOG_INTEGRITY = Operation("get_log_integrity", "GET", "/audit/integrity", answers="envelope")
GET_AUDIT_RECEIPT = Operation("get_audit_receipt", "GET", "/audit/receipt/{position}", answers="envelope")
UNDO_CHANGE = Operation("undo_change", "POST", "/history/undo", answers="envelope", has_body=True, takes_key=True)
GET_INSTANCE_HISTORY = Operation("get_instance_history", "GET", "/history/{bk_obj_id}/{bk_inst_id}", answers="envelope")
GET_BLAME = Operation("get_blame", "GET", "/history/{bk_obj_id}/{bk_inst_id}/blame", answers="envelope")
GET_DIFF = Operation("get_diff", "POST", "/history/diff", answers="envelope", has_body=True, paging="page")
PING_SUBSCRIPTION = Operation("ping_subscription", "POST", "/event/subscribe/ping", answers="envelope", has_body=True)
TESTING_CONNECTION = Operation("testing_connection", "POST", "/event/subscribe/telnet", answers="envelope", has_body=True)
SEARCH_EVENT_CATALOGUE = Operation("search_event_catalogue", "GET", "/event/catalogue", answers="envelope")
WATCH_RESOURCE = Operation("watch_resource", "POST", "/event/watch/resource/{bk_resource}", answers="envelope", has_body=True)
STREAM_EVENTS = Operation("stream_events", "GET", "/event/stream", answers="events")
TRY_EVENTS = Operation("try_events", "POST", "/event/try", answers="envelope", has_body=True)
SUBSCRIBE_EVENT = Operation("subscribe_event", "POST", "/event/subscribe/{bk_supplier_account}/{bk_biz_id}", answers="envelope", has_body=True, takes_key=True)
SEARCH_SUBSCRIPTION = Operation("search_subscription", "POST", "/event/subscribe/search/{bk_supplier_account}/{bk_biz_id}", answers="envelope", has_body=True)
ROTATE_SUBSCRIPTION_SECRET = Operation("rotate_subscription_secret", "POST", "/event/subscribe/{bk_supplier_account}/{bk_biz_id}/{subscription_id}/secret", answers="envelope", has_body=True, takes_key=True)
PAUSE_SUBSCRIPTION = Operation("pause_subscription", "POST", "/event/subscribe/{bk_supplier_account}/{bk_biz_id}/{subscription_id}/pause", answers="envelope", takes_key=True)
RESUME_SUBSCRIPTION = Operation("resume_subscription", "POST", "/event/subscribe/{bk_supplier_account}/{bk_biz_id}/{subscription_id}/resume", answers="envelope", takes_key=True)
LIST_SUBSCRIPTION_ATTEMPTS = Operation("list_subscription_attempts", "GET", "/event/subscribe/{bk_supplier_account}/{bk_biz_id}/{subscription_id}/attempts", answers="envelope")
LIST_INSTANCE_ATTEMPTS = Operation("list_instance_attempts", "GET", "/event/attempts/{bk_supplier_account}/{bk_obj_id}/{bk_inst_id}", answers="envelope")
LIST_SUBSCRIPTION_DEAD_LETTERS = Operation("list_subscription_dead_letters", "GET", "/event/subscribe/{bk_supplier_account}/{bk_biz_id}/{subscription_id}/deadletters", answers="envelope")
REPLAY_SUBSCRIPTION = Operation("replay_subscription", "POST", "/event/subscribe/{bk_supplier_account}/{bk_biz_id}/{subscription_id}/replay", answers="envelope", has_body=True, takes_key=True)
DISCARD_SUBSCRIPTION_DEAD_LETTERS = Operation("discard_subscription_dead_letters", "POST", "/event/subscribe/{bk_supplier_account}/{bk_biz_id}/{subscription_id}/discard", answers="envelope", has_body=True, takes_key=True)
UPDATE_EVENT_SUBSCRIBE = Operation("update_event_subscribe", "PUT", "/event/subscribe/{bk_supplier_account}/{bk_biz_id}/{subscription_id}", answers="envelope", has_body=True, takes_key=True)
UNSUBCRIBE_EVENT = Operation("unsubcribe_event", "DELETE", "/event/subscribe/{bk_supplier_account}/{bk_biz_id}/{subscription_id}", answers="envelope", takes_key=True)
CREATE_CLASSIFICATION = Operation("create_classification", "POST", "/object/classification", answers="envelope", has_body=True, takes_key=True)
UPDATE_CLASSIFICATION = Operation("update_classification", "PUT", "/object/classification/{id}", answers="envelope", has_body=True, takes_key=True)
DELETE_CLASSIFICATION = Operation("delete_classification", "DELETE", "/object/classification/{id}", answers="envelope", takes_key=True)
SEARCH_CLASSIFICATIONS = Operation("search_classifications", "POST", "/object/classifications", answers="envelope", has_body=True)
SEARCH_CLASSIFICATION_OBJECTS = Operation("search_classification_objects", "POST", "/object/classification/{bk_supplier_account}/objects", answers="envelope", has_body=True)
CREATE_OBJECT = Operation("create_object", "POST", "/object", answers="envelope", has_body=True, takes_key=True)
UPDATE_OBJECT = Operation("update_object", "PUT", "/object/{id}", answers="envelope", has_body=True, takes_key=True)
DELETE_OBJECT = Operation("delete_object", "DELETE", "/object/{id}", answers="envelope", takes_key=True)
SEARCH_OBJECTS = Operation("search_objects", "POST", "/objects", answers="envelope", has_body=True)
CREATE_OBJECT_ATTRIBUTE = Operation("create_object_attribute", "POST", "/object/attr", answers="envelope", has_body=True, takes_key=True)
UPDATE_OBJECT_ATTRIBUTE = Operation("update_object_attribute", "PUT", "/object/attr/{id}", answers="envelope", has_body=True, takes_key=True)
DELETE_OBJECT_ATTRIBUTE = Operation("delete_object_attribute", "DELETE", "/object/attr/{id}", answers="envelope", takes_key=True)
SEARCH_OBJECT_ATTRIBUTES = Operation("search_object_attributes", "POST", "/object/attr/search", answers="envelope", has_body=True)
CREATE_ATTRIBUTE_GROUP = Operation("create_attribute_group", "POST", "/objectatt/group/new", answers="envelope", has_body=True, takes_key=True)
UPDATE_ATTRIBUTE_GROUP = Operation("update_attribute_group", "PUT", "/objectatt/group/update", answers="envelope", has_body=True, takes_key=True)
DELETE_ATTRIBUTE_GROUP = Operation("delete_attribute_group", "DELETE", "/objectatt/group/groupid/{id}", answers="envelope", takes_key=True)
MOVE_OBJECT_ATTRIBUTES = Operation("move_object_attributes", "PUT", "/objectatt/group/property", answers="envelope", has_body=True, takes_key=True)
REMOVE_ATTRIBUTE_FROM_GROUP = Operation("remove_attribute_from_group", "DELETE", "/objectatt/group/owner/{bk_supplier_account}/object/{bk_obj_id}/propertyids/{bk_property_id}/groupids/{bk_group_id}", answers="envelope", takes_key=True)
SEARCH_ATTRIBUTE_GROUPS = Operation("search_attribute_groups", "POST", "/objectatt/group/property/owner/{bk_supplier_account}/object/{bk_obj_id}", answers="envelope")
CREATE_OBJECT_UNIQUE = Operation("create_object_unique", "POST", "/object/{bk_obj_id}/unique/action/create", answers="envelope", has_body=True, takes_key=True)
UPDATE_OBJECT_UNIQUE = Operation("update_object_unique", "PUT", "/object/{bk_obj_id}/unique/{id}/action/update", answers="envelope", has_body=True, takes_key=True)
DELETE_OBJECT_UNIQUE = Operation("delete_object_unique", "DELETE", "/object/{bk_obj_id}/unique/{id}/action/delete", answers="envelope", takes_key=True)
SEARCH_OBJECT_UNIQUE = Operation("search_object_unique", "GET", "/object/{bk_obj_id}/unique/action/search", answers="envelope")
GET_SESSION = Operation("get_session", "GET", "/session", answers="envelope")


class Operations(Caller):
    def create_business(
        self,
        *,
        bk_supplier_account: Account,
        body: CreateBusinessBody | Mapping[str, Any],
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Business:
        """
        Create a business with its idle pool.

        Needs: an administrator.
        """
        answer: Business = self.call(CREATE_BUSINESS, Call({"bk_supplier_account": bk_supplier_account}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def archive_business(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: Id,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Archive a business without hosts.

        Needs: an administrator.
        """
        answer: Literal["success"] = self.call(ARCHIVE_BUSINESS, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id}, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def recover_business(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: Id,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Recover an archived business; "(recover)" is appended if its name is in use meanwhile.

        Needs: an administrator.
        """
        answer: Literal["success"] = self.call(RECOVER_BUSINESS, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id}, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def update_business(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: Id,
        body: UpdateBusinessBody | Mapping[str, Any] | None = None,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Update attributes of a business.

        Needs: `topoupdate` in the business, through a role; for its role attributes all five that can be bound to one.
        """
        answer: Literal["success"] = self.call(UPDATE_BUSINESS, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def delete_business(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: Id,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Delete a business without hosts, with its whole tree.

        Needs: an administrator.
        """
        answer: Literal["success"] = self.call(DELETE_BUSINESS, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id}, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def search_business(
        self,
        *,
        bk_supplier_account: Account,
        as_of: str | None = None,
        body: SearchBusinessBody | None = None,
    ) -> SearchBusinessAnswer:
        """
        Search businesses that are not archived. Text matches as a substring, a role attribute by one whole user name or by the whole list.

        Needs: any identified caller.
        """
        answer: SearchBusinessAnswer = self.call(SEARCH_BUSINESS, Call({"bk_supplier_account": bk_supplier_account}, query={"as_of": as_of}, body=body))
        return answer

    def iter_search_business(
        self,
        *,
        bk_supplier_account: Account,
        as_of: str | None = None,
        body: SearchBusinessCriteria | None = None,
        sort: str | None = None,
        limit: int = 200,
    ) -> Iterator[BusinessSelection]:
        """Every record that search_business finds, read in pages of `limit`."""
        return self.iterate(SEARCH_BUSINESS, Call({"bk_supplier_account": bk_supplier_account}, query={"as_of": as_of}, body=body), sort=sort, limit=limit)

    def search_resource_pool(
        self,
        *,
        bk_supplier_account: Account,
        as_of: str | None = None,
        body: SearchResourcePoolBody | None = None,
    ) -> SearchResourcePoolAnswer:
        """
        The resource pool of the account, as a business.

        Needs: any identified caller.
        """
        answer: SearchResourcePoolAnswer = self.call(SEARCH_RESOURCE_POOL, Call({"bk_supplier_account": bk_supplier_account}, query={"as_of": as_of}, body=body))
        return answer

    def iter_search_resource_pool(
        self,
        *,
        bk_supplier_account: Account,
        as_of: str | None = None,
        body: SearchResourcePoolCriteria | None = None,
        sort: str | None = None,
        limit: int = 200,
    ) -> Iterator[BusinessSelection]:
        """Every record that search_resource_pool finds, read in pages of `limit`."""
        return self.iterate(SEARCH_RESOURCE_POOL, Call({"bk_supplier_account": bk_supplier_account}, query={"as_of": as_of}, body=body), sort=sort, limit=limit)

    def create_mainline_object(
        self,
        *,
        body: CreateMainlineObjectBody,
        dry_run: bool | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"] | CreateMainlineObjectAnswer1:
        """
        Insert a level into the main line, between an object and its child, in all businesses in one transaction.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] | CreateMainlineObjectAnswer1 = self.call(CREATE_MAINLINE_OBJECT, Call({}, query={"dry_run": dry_run}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def delete_mainline_object(
        self,
        *,
        bk_supplier_account: Account,
        bk_obj_id: str,
        dry_run: bool | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"] | DeletionPreview:
        """
        Remove a level from the main line; its children move up.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] | DeletionPreview = self.call(DELETE_MAINLINE_OBJECT, Call({"bk_supplier_account": bk_supplier_account, "bk_obj_id": bk_obj_id}, query={"dry_run": dry_run}, reason=reason, idempotency_key=idempotency_key))
        return answer

    def search_mainline_object(
        self,
        *,
        bk_supplier_account: Account,
        as_of: str | None = None,
    ) -> list[MainlineObject]:
        """
        List the main line from business to host.

        Needs: any identified caller.
        """
        answer: list[MainlineObject] = self.call(SEARCH_MAINLINE_OBJECT, Call({"bk_supplier_account": bk_supplier_account}, query={"as_of": as_of}))
        return answer

    def get_inst_topo(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: Id,
        with_default: bool | None = None,
        level: int | None = None,
        as_of: str | None = None,
    ) -> list[TopologyNode]:
        """
        Get the tree of a business. Responds with 304 to a matching If-None-Match.

        Needs: any identified caller.
        """
        answer: list[TopologyNode] = self.call(GET_INST_TOPO, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id}, query={"with_default": with_default, "level": level, "as_of": as_of}))
        return answer

    def search_inst_topo(
        self,
        *,
        bk_supplier_account: Account,
        bk_obj_id: str,
        bk_biz_id: Id,
        bk_inst_id: Id,
        as_of: str | None = None,
    ) -> list[TopologyNode]:
        """
        Get an instance with its whole subtree; empty if there is no such instance in the business. Responds with 304 to a matching If-None-Match.

        Needs: any identified caller.
        """
        answer: list[TopologyNode] = self.call(SEARCH_INST_TOPO, Call({"bk_supplier_account": bk_supplier_account, "bk_obj_id": bk_obj_id, "bk_biz_id": bk_biz_id, "bk_inst_id": bk_inst_id}, query={"as_of": as_of}))
        return answer

    def get_internal_topo(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: Id,
        as_of: str | None = None,
    ) -> GetInternalTopoAnswer:
        """
        Get the built-in idle pool of a business with its idle and fault modules.

        Needs: any identified caller.
        """
        answer: GetInternalTopoAnswer = self.call(GET_INTERNAL_TOPO, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id}, query={"as_of": as_of}))
        return answer

    def search_mainline_node(
        self,
        *,
        bk_supplier_account: Account,
        as_of: str | None = None,
        body: SearchMainlineNodeBody | None = None,
    ) -> SearchMainlineNodeAnswer:
        """
        Search levels, sets and modules by a part of their name, in all businesses that are not archived; idle pools are omitted.

        Needs: any identified caller.
        """
        answer: SearchMainlineNodeAnswer = self.call(SEARCH_MAINLINE_NODE, Call({"bk_supplier_account": bk_supplier_account}, query={"as_of": as_of}, body=body))
        return answer

    def iter_search_mainline_node(
        self,
        *,
        bk_supplier_account: Account,
        as_of: str | None = None,
        body: SearchMainlineNodeCriteria | None = None,
        sort: str | None = None,
        limit: int = 200,
    ) -> Iterator[SearchMainlineNodeAnswerInfo]:
        """Every record that search_mainline_node finds, read in pages of `limit`."""
        return self.iterate(SEARCH_MAINLINE_NODE, Call({"bk_supplier_account": bk_supplier_account}, query={"as_of": as_of}, body=body), sort=sort, limit=limit)

    def get_business_host_count(
        self,
        *,
        bk_supplier_account: Account,
        as_of: str | None = None,
    ) -> dict[str, int]:
        """
        Count the hosts of each business, including the resource pool.

        Needs: any identified caller.
        """
        answer: dict[str, int] = self.call(GET_BUSINESS_HOST_COUNT, Call({"bk_supplier_account": bk_supplier_account}, query={"as_of": as_of}))
        return answer

    def get_topo_host_count(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: Id,
        as_of: str | None = None,
    ) -> dict[str, dict[str, int]]:
        """
        Count the hosts of each instance of a business, including the idle pool. A host in several modules counts once in their ancestors.

        Needs: any identified caller.
        """
        answer: dict[str, dict[str, int]] = self.call(GET_TOPO_HOST_COUNT, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id}, query={"as_of": as_of}))
        return answer

    def create_set(
        self,
        *,
        bk_biz_id: Id,
        body: CreateSetBody | Mapping[str, Any],
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Set:
        """
        Create a set under a business or a main-line instance.

        Needs: `topoupdate` in the business, through a role.
        """
        answer: Set = self.call(CREATE_SET, Call({"bk_biz_id": bk_biz_id}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def batch_delete_set(
        self,
        *,
        bk_biz_id: Id,
        body: BatchDeleteSetBody,
        dry_run: bool | None = None,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"] | DeletionPreview:
        """
        Delete several sets with their modules: all of them or none.

        Needs: `topoupdate` in the business, through a role.
        """
        answer: Literal["success"] | DeletionPreview = self.call(BATCH_DELETE_SET, Call({"bk_biz_id": bk_biz_id}, query={"dry_run": dry_run}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def update_set(
        self,
        *,
        bk_biz_id: Id,
        bk_set_id: Id,
        body: UpdateSetBody | Mapping[str, Any],
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Update attributes of a set.

        Needs: `topoupdate` in the business, through a role.
        """
        answer: Literal["success"] = self.call(UPDATE_SET, Call({"bk_biz_id": bk_biz_id, "bk_set_id": bk_set_id}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def delete_set(
        self,
        *,
        bk_biz_id: Id,
        bk_set_id: Id,
        dry_run: bool | None = None,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"] | DeletionPreview:
        """
        Delete a set with its modules.

        Needs: `topoupdate` in the business, through a role.
        """
        answer: Literal["success"] | DeletionPreview = self.call(DELETE_SET, Call({"bk_biz_id": bk_biz_id, "bk_set_id": bk_set_id}, query={"dry_run": dry_run}, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def search_set(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: Id,
        body: SearchSetBody,
        as_of: str | None = None,
    ) -> SearchSetAnswer:
        """
        Search sets of a business.

        Needs: any identified caller.
        """
        answer: SearchSetAnswer = self.call(SEARCH_SET, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id}, query={"as_of": as_of}, body=body))
        return answer

    def iter_search_set(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: Id,
        body: SearchSetCriteria,
        as_of: str | None = None,
        sort: str | None = None,
        limit: int = 200,
    ) -> Iterator[SetSelection]:
        """Every record that search_set finds, read in pages of `limit`."""
        return self.iterate(SEARCH_SET, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id}, query={"as_of": as_of}, body=body), sort=sort, limit=limit)

    def create_module(
        self,
        *,
        bk_biz_id: Id,
        bk_set_id: Id,
        body: CreateModuleBody | Mapping[str, Any],
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Module:
        """
        Create a module in a set.

        Needs: `topoupdate` in the business, through a role.
        """
        answer: Module = self.call(CREATE_MODULE, Call({"bk_biz_id": bk_biz_id, "bk_set_id": bk_set_id}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def update_module(
        self,
        *,
        bk_biz_id: Id,
        bk_set_id: Id,
        bk_module_id: Id,
        body: UpdateModuleBody | Mapping[str, Any] | None = None,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Update attributes of a module.

        Needs: `topoupdate` in the business, through a role.
        """
        answer: Literal["success"] = self.call(UPDATE_MODULE, Call({"bk_biz_id": bk_biz_id, "bk_set_id": bk_set_id, "bk_module_id": bk_module_id}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def delete_module(
        self,
        *,
        bk_biz_id: Id,
        bk_set_id: Id,
        bk_module_id: Id,
        dry_run: bool | None = None,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"] | DeletionPreview:
        """
        Delete a module without hosts.

        Needs: `topoupdate` in the business, through a role.
        """
        answer: Literal["success"] | DeletionPreview = self.call(DELETE_MODULE, Call({"bk_biz_id": bk_biz_id, "bk_set_id": bk_set_id, "bk_module_id": bk_module_id}, query={"dry_run": dry_run}, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def search_module(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: Id,
        bk_set_id: Id,
        as_of: str | None = None,
        body: SearchModuleBody | None = None,
    ) -> SearchModuleAnswer:
        """
        Search modules of a set.

        Needs: any identified caller.
        """
        answer: SearchModuleAnswer = self.call(SEARCH_MODULE, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id, "bk_set_id": bk_set_id}, query={"as_of": as_of}, body=body))
        return answer

    def iter_search_module(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: Id,
        bk_set_id: Id,
        as_of: str | None = None,
        body: SearchModuleCriteria | None = None,
        sort: str | None = None,
        limit: int = 200,
    ) -> Iterator[ModuleSelection]:
        """Every record that search_module finds, read in pages of `limit`."""
        return self.iterate(SEARCH_MODULE, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id, "bk_set_id": bk_set_id}, query={"as_of": as_of}, body=body), sort=sort, limit=limit)

    def create_inst(
        self,
        *,
        bk_supplier_account: Account,
        bk_obj_id: str,
        body: CreateInstBody | Mapping[str, Any] | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Instance:
        """
        Create an instance of a main-line level, or of another object.

        Needs: `topoupdate` in the business for instances of a level; `create` in `model_config` of the object, through a group, for others.
        """
        answer: Instance = self.call(CREATE_INST, Call({"bk_supplier_account": bk_supplier_account, "bk_obj_id": bk_obj_id}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def batch_delete_inst(
        self,
        *,
        bk_supplier_account: Account,
        bk_obj_id: str,
        body: BatchDeleteInstBody,
        dry_run: bool | None = None,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"] | DeletionPreview:
        """
        Delete several instances with everything below them: all of them or none.

        Needs: `topoupdate` in the business for instances of a level; `delete` in `model_config` of the object, through a group, for others.
        """
        answer: Literal["success"] | DeletionPreview = self.call(BATCH_DELETE_INST, Call({"bk_supplier_account": bk_supplier_account, "bk_obj_id": bk_obj_id}, query={"dry_run": dry_run}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def update_inst(
        self,
        *,
        bk_supplier_account: Account,
        bk_obj_id: str,
        bk_inst_id: Id,
        body: UpdateInstBody | Mapping[str, Any] | None = None,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Update attributes of an instance.

        Needs: `topoupdate` in the business for instances of a level; `update` in `model_config` of the object, through a group, for others.
        """
        answer: Literal["success"] = self.call(UPDATE_INST, Call({"bk_supplier_account": bk_supplier_account, "bk_obj_id": bk_obj_id, "bk_inst_id": bk_inst_id}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def delete_inst(
        self,
        *,
        bk_supplier_account: Account,
        bk_obj_id: str,
        bk_inst_id: Id,
        dry_run: bool | None = None,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"] | DeletionPreview:
        """
        Delete an instance; on the main line with everything below it, if that contains no hosts.

        Needs: `topoupdate` in the business for instances of a level; `delete` in `model_config` of the object, through a group, for others.
        """
        answer: Literal["success"] | DeletionPreview = self.call(DELETE_INST, Call({"bk_supplier_account": bk_supplier_account, "bk_obj_id": bk_obj_id, "bk_inst_id": bk_inst_id}, query={"dry_run": dry_run}, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def search_inst(
        self,
        *,
        bk_supplier_account: Account,
        bk_obj_id: str,
        as_of: str | None = None,
        body: SearchInstBody | None = None,
    ) -> SearchInstAnswer:
        """
        Search instances of an object; on the main line those of businesses that are not archived.

        Needs: any identified caller for instances of a level; `search` in `model_config` of the object, through a group, for others.
        """
        answer: SearchInstAnswer = self.call(SEARCH_INST, Call({"bk_supplier_account": bk_supplier_account, "bk_obj_id": bk_obj_id}, query={"as_of": as_of}, body=body))
        return answer

    def iter_search_inst(
        self,
        *,
        bk_supplier_account: Account,
        bk_obj_id: str,
        as_of: str | None = None,
        body: SearchInstCriteria | None = None,
        sort: str | None = None,
        limit: int = 200,
    ) -> Iterator[InstanceSelection]:
        """Every record that search_inst finds, read in pages of `limit`."""
        return self.iterate(SEARCH_INST, Call({"bk_supplier_account": bk_supplier_account, "bk_obj_id": bk_obj_id}, query={"as_of": as_of}, body=body), sort=sort, limit=limit)

    def search_association_kind(
        self,
        *,
        as_of: str | None = None,
        body: SearchAssociationKindBody | None = None,
    ) -> SearchAssociationKindAnswer:
        """
        Search association kinds: what an association means, such as "runs on".

        Needs: any identified caller.
        """
        answer: SearchAssociationKindAnswer = self.call(SEARCH_ASSOCIATION_KIND, Call({}, query={"as_of": as_of}, body=body))
        return answer

    def iter_search_association_kind(
        self,
        *,
        as_of: str | None = None,
        body: SearchAssociationKindCriteria | None = None,
        sort: str | None = None,
        limit: int = 200,
    ) -> Iterator[SearchAssociationKindAnswerInfo]:
        """Every record that search_association_kind finds, read in pages of `limit`."""
        return self.iterate(SEARCH_ASSOCIATION_KIND, Call({}, query={"as_of": as_of}, body=body), sort=sort, limit=limit)

    def create_association_kind(
        self,
        *,
        body: CreateAssociationKindBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> CreateAssociationKindAnswer:
        """
        Create an association kind.

        Needs: `model`, through a group.
        """
        answer: CreateAssociationKindAnswer = self.call(CREATE_ASSOCIATION_KIND, Call({}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def update_association_kind(
        self,
        *,
        id: Id,
        body: UpdateAssociationKindBody | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Update the texts or the direction of an association kind.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] = self.call(UPDATE_ASSOCIATION_KIND, Call({"id": id}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def delete_association_kind(
        self,
        *,
        id: Id,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Delete an association kind that no association of objects uses.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] = self.call(DELETE_ASSOCIATION_KIND, Call({"id": id}, reason=reason, idempotency_key=idempotency_key))
        return answer

    def search_object_association_by_kind(
        self,
        *,
        body: SearchObjectAssociationByKindBody,
        as_of: str | None = None,
    ) -> SearchObjectAssociationByKindAnswer:
        """
        The associations of objects of several kinds.

        Needs: any identified caller.
        """
        answer: SearchObjectAssociationByKindAnswer = self.call(SEARCH_OBJECT_ASSOCIATION_BY_KIND, Call({}, query={"as_of": as_of}, body=body))
        return answer

    def create_object_association(
        self,
        *,
        body: CreateObjectAssociationBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> CreateObjectAssociationAnswer:
        """
        Declare that instances of two objects may be associated.

        Needs: `model`, through a group.
        """
        answer: CreateObjectAssociationAnswer = self.call(CREATE_OBJECT_ASSOCIATION, Call({}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def search_object_association(
        self,
        *,
        as_of: str | None = None,
        body: SearchObjectAssociationBody | None = None,
    ) -> list[SearchObjectAssociationAnswer]:
        """
        Search associations of objects, those of the main line included.

        Needs: any identified caller.
        """
        answer: list[SearchObjectAssociationAnswer] = self.call(SEARCH_OBJECT_ASSOCIATION, Call({}, query={"as_of": as_of}, body=body))
        return answer

    def update_object_association(
        self,
        *,
        id: Id,
        body: UpdateObjectAssociationBody | Mapping[str, Any] | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Update the name, the kind or the deletion rule of an association of objects.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] = self.call(UPDATE_OBJECT_ASSOCIATION, Call({"id": id}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def create_instance_association(
        self,
        *,
        body: CreateInstanceAssociationBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> CreateInstanceAssociationAnswer:
        """
        Associate two instances, as an association of their objects allows.

        Needs: for a source that is a host `hostupdate` in its business, on the main line `topoupdate`, through a role; for other sources `update` in `model_config` of the object, through a group.
        """
        answer: CreateInstanceAssociationAnswer = self.call(CREATE_INSTANCE_ASSOCIATION, Call({}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def search_instance_association(
        self,
        *,
        as_of: str | None = None,
        body: SearchInstanceAssociationBody | None = None,
    ) -> list[SearchInstanceAssociationAnswer]:
        """
        Search associations of instances, between objects whose instances the caller may search.

        Needs: any identified caller.
        """
        answer: list[SearchInstanceAssociationAnswer] = self.call(SEARCH_INSTANCE_ASSOCIATION, Call({}, query={"as_of": as_of}, body=body))
        return answer

    def search_related_instance_association(
        self,
        *,
        body: SearchRelatedInstanceAssociationBody,
        as_of: str | None = None,
    ) -> list[SearchRelatedInstanceAssociationAnswer]:
        """
        The associations in which an instance is the source or the target.

        Needs: any identified caller.
        """
        answer: list[SearchRelatedInstanceAssociationAnswer] = self.call(SEARCH_RELATED_INSTANCE_ASSOCIATION, Call({}, query={"as_of": as_of}, body=body))
        return answer

    def search_inst_by_association(
        self,
        *,
        bk_supplier_account: Account,
        bk_obj_id: str,
        as_of: str | None = None,
        body: SearchInstByAssociationBody | None = None,
    ) -> SearchInstByAssociationAnswer:
        """
        Search instances of an object by their own fields, and by those of instances that they are associated with.

        Needs: any identified caller for instances of a level; `search` in `model_config` of the object, through a group, for others.
        """
        answer: SearchInstByAssociationAnswer = self.call(SEARCH_INST_BY_ASSOCIATION, Call({"bk_supplier_account": bk_supplier_account, "bk_obj_id": bk_obj_id}, query={"as_of": as_of}, body=body))
        return answer

    def iter_search_inst_by_association(
        self,
        *,
        bk_supplier_account: Account,
        bk_obj_id: str,
        as_of: str | None = None,
        body: SearchInstByAssociationCriteria | None = None,
        sort: str | None = None,
        limit: int = 200,
    ) -> Iterator[InstanceSelection]:
        """Every record that search_inst_by_association finds, read in pages of `limit`."""
        return self.iterate(SEARCH_INST_BY_ASSOCIATION, Call({"bk_supplier_account": bk_supplier_account, "bk_obj_id": bk_obj_id}, query={"as_of": as_of}, body=body), sort=sort, limit=limit)

    def search_inst_association_topo(
        self,
        *,
        bk_supplier_account: Account,
        bk_obj_id: str,
        bk_inst_id: int,
        as_of: str | None = None,
    ) -> list[SearchInstAssociationTopoAnswer]:
        """
        What an instance is associated with, by object: sources in `prev`, targets in `next`, at most 200 of each object and 2,000 in each list.

        Needs: any identified caller.
        """
        answer: list[SearchInstAssociationTopoAnswer] = self.call(SEARCH_INST_ASSOCIATION_TOPO, Call({"bk_supplier_account": bk_supplier_account, "bk_obj_id": bk_obj_id, "bk_inst_id": bk_inst_id}, query={"as_of": as_of}))
        return answer

    def get_impact(
        self,
        *,
        bk_obj_id: str,
        bk_inst_id: int,
        direction: Literal["up", "down", "both"] | None = None,
        depth: int | None = None,
        limit: int | None = None,
        as_of: str | None = None,
    ) -> GetImpactAnswer:
        """
        What is reached from an instance over the main line, placement and associations, each with the shortest way to it.

        Needs: any identified caller.
        """
        answer: GetImpactAnswer = self.call(GET_IMPACT, Call({"bk_obj_id": bk_obj_id, "bk_inst_id": bk_inst_id}, query={"direction": direction, "depth": depth, "limit": limit, "as_of": as_of}))
        return answer

    def delete_instance_association(
        self,
        *,
        association_id: Id,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Delete an association of two instances; the instances stay.

        Needs: for a source that is a host `hostupdate` in its business, on the main line `topoupdate`, through a role; for other sources `update` in `model_config` of the object, through a group.
        """
        answer: Literal["success"] = self.call(DELETE_INSTANCE_ASSOCIATION, Call({"association_id": association_id}, reason=reason, idempotency_key=idempotency_key))
        return answer

    def delete_object_association(
        self,
        *,
        id: Id,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Delete an association of objects that no instances use.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] = self.call(DELETE_OBJECT_ASSOCIATION, Call({"id": id}, reason=reason, idempotency_key=idempotency_key))
        return answer

    def search_host_favorite(
        self,
        *,
        body: SearchHostFavoriteBody | None = None,
    ) -> SearchHostFavoriteAnswer:
        """
        Search the favourite host searches of the caller.

        Needs: any identified caller.
        """
        answer: SearchHostFavoriteAnswer = self.call(SEARCH_HOST_FAVORITE, Call({}, body=body))
        return answer

    def iter_search_host_favorite(
        self,
        *,
        body: SearchHostFavoriteCriteria | None = None,
        limit: int = 200,
    ) -> Iterator[HostFavoriteSelection]:
        """Every record that search_host_favorite finds, read in pages of `limit`."""
        return self.iterate(SEARCH_HOST_FAVORITE, Call({}, body=body), sort=None, limit=limit)

    def create_host_favorite(
        self,
        *,
        body: CreateHostFavoriteBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> HostFavorite:
        """
        Save a host search as a favourite.

        Needs: any identified caller.
        """
        answer: HostFavorite = self.call(CREATE_HOST_FAVORITE, Call({}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def update_host_favorite(
        self,
        *,
        id: str,
        body: UpdateHostFavoriteBody | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Update a favourite.

        Needs: any identified caller.
        """
        answer: Literal["success"] = self.call(UPDATE_HOST_FAVORITE, Call({"id": id}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def delete_host_favorite(
        self,
        *,
        id: str,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Delete a favourite.

        Needs: any identified caller.
        """
        answer: Literal["success"] = self.call(DELETE_HOST_FAVORITE, Call({"id": id}, reason=reason, idempotency_key=idempotency_key))
        return answer

    def increase_host_favorite(
        self,
        *,
        id: str,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> IncreaseHostFavoriteAnswer:
        """
        Increment the usage count of a favourite.

        Needs: any identified caller.
        """
        answer: IncreaseHostFavoriteAnswer = self.call(INCREASE_HOST_FAVORITE, Call({"id": id}, reason=reason, idempotency_key=idempotency_key))
        return answer

    def create_host_history(
        self,
        *,
        body: CreateHostHistoryBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> HostHistory:
        """
        Save a host search to the history of the caller.

        Needs: any identified caller.
        """
        answer: HostHistory = self.call(CREATE_HOST_HISTORY, Call({}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def search_host_history(
        self,
        *,
        start: int,
        limit: int,
    ) -> SearchHostHistoryAnswer:
        """
        The latest host searches of the caller, newest first.

        Needs: any identified caller.
        """
        answer: SearchHostHistoryAnswer = self.call(SEARCH_HOST_HISTORY, Call({"start": start, "limit": limit}))
        return answer

    def iter_search_host_history(
        self,
        *,
        limit: int = 200,
    ) -> Iterator[HostHistorySelection]:
        """Every record that search_host_history finds, read in pages of `limit`."""
        return self.iterate(SEARCH_HOST_HISTORY, Call({}), sort=None, limit=limit)

    def add_host(
        self,
        *,
        body: AddHostBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> AddHostReport:
        """
        Add hosts to the resource pool, or to the idle module of a business. A host with the same inner address and cloud area is updated. Valid rows are kept; if any row fails, the response is a failure whose data lists the rows.

        Needs: `hosttrans` in the business, through a role, or `resource`, through a group.
        """
        answer: AddHostReport = self.call(ADD_HOST, Call({}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def sync_new_host(
        self,
        *,
        body: SyncNewHostBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> AddHostReport:
        """
        Add hosts directly to modules of a business: all of them or none. Existing hosts are updated and moved.

        Needs: `hosttrans` in the business, through a role.
        """
        answer: AddHostReport = self.call(SYNC_NEW_HOST, Call({}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def update_host(
        self,
        *,
        body: UpdateHostBody | Mapping[str, Any],
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Update attributes of hosts: all of them or none.

        Needs: `hostupdate` in the business of every host, through a role; for hosts of the pool `resource`, through a group.
        """
        self.call(UPDATE_HOST, Call({}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))

    def delete_host(
        self,
        *,
        body: DeleteHostBody,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Delete hosts of the resource pool: all of them or none.

        Needs: `resource`, through a group.
        """
        self.call(DELETE_HOST, Call({}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))

    def get_host_detail(
        self,
        *,
        bk_supplier_account: Account,
        bk_host_id: Id,
        as_of: str | None = None,
    ) -> list[GetHostDetailAnswer]:
        """
        All attributes of a host, each with its name in the language of the caller.

        Needs: any identified caller.
        """
        answer: list[GetHostDetailAnswer] = self.call(GET_HOST_DETAIL, Call({"bk_supplier_account": bk_supplier_account, "bk_host_id": bk_host_id}, query={"as_of": as_of}))
        return answer

    def get_host_snapshot(
        self,
        *,
        bk_host_id: Id,
    ) -> None:
        """
        Host snapshot: always null, since no agent reports to this service.

        Needs: any identified caller.
        """
        self.call(GET_HOST_SNAPSHOT, Call({"bk_host_id": bk_host_id}))

    def search_host(
        self,
        *,
        as_of: str | None = None,
        body: SearchHostBody | None = None,
    ) -> SearchHostAnswer:
        """
        Search hosts by their attributes, placement and addresses.

        Needs: any identified caller.
        """
        answer: SearchHostAnswer = self.call(SEARCH_HOST, Call({}, query={"as_of": as_of}, body=body))
        return answer

    def iter_search_host(
        self,
        *,
        as_of: str | None = None,
        body: SearchHostCriteria | None = None,
        sort: str | None = None,
        limit: int = 200,
    ) -> Iterator[SearchHostAnswerInfo]:
        """Every record that search_host finds, read in pages of `limit`."""
        return self.iterate(SEARCH_HOST, Call({}, query={"as_of": as_of}, body=body), sort=sort, limit=limit)

    def transfer_host_module(
        self,
        *,
        body: TransferHostModuleBody,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Move hosts of a business to its modules, replacing or extending their current modules.

        Needs: `hosttrans` in the business, through a role.
        """
        self.call(TRANSFER_HOST_MODULE, Call({}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))

    def transfer_host_to_idlemodule(
        self,
        *,
        body: TransferHostToIdlemoduleBody,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Move hosts to the idle module of the business; they leave all other modules.

        Needs: `hosttrans` in the business, through a role.
        """
        self.call(TRANSFER_HOST_TO_IDLEMODULE, Call({}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))

    def transfer_host_to_faultmodule(
        self,
        *,
        body: TransferHostToFaultmoduleBody,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Move hosts to the fault module of the business; they leave all other modules.

        Needs: `hosttrans` in the business, through a role.
        """
        self.call(TRANSFER_HOST_TO_FAULTMODULE, Call({}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))

    def transfer_host_to_resourcemodule(
        self,
        *,
        body: TransferHostToResourcemoduleBody,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Return idle hosts of a business to the resource pool.

        Needs: `hosttrans` in the business, through a role.
        """
        self.call(TRANSFER_HOST_TO_RESOURCEMODULE, Call({}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))

    def transfer_resourcehost_to_idlemodule(
        self,
        *,
        body: TransferResourcehostToIdlemoduleBody,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Assign hosts of the resource pool to a business: they are placed in its idle module.

        Needs: `resource`, through a group.
        """
        self.call(TRANSFER_RESOURCEHOST_TO_IDLEMODULE, Call({}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))

    def transfer_sethost_to_idle_module(
        self,
        *,
        body: TransferSethostToIdleModuleBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Empty a set or a module: hosts that are then in no module are moved to the idle module of the business.

        Needs: `hosttrans` in the business, through a role.
        """
        self.call(TRANSFER_SETHOST_TO_IDLE_MODULE, Call({}, body=body, reason=reason, idempotency_key=idempotency_key))

    def create_custom_query(
        self,
        *,
        body: CreateCustomQueryBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> CreateCustomQueryAnswer:
        """
        Save a query over the hosts of a business.

        Needs: `customapi` in the business, through a role.
        """
        answer: CreateCustomQueryAnswer = self.call(CREATE_CUSTOM_QUERY, Call({}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def update_custom_query(
        self,
        *,
        bk_biz_id: Id,
        id: str,
        body: UpdateCustomQueryBody | None = None,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Update the name or the definition of a saved query; absent or empty fields stay unchanged.

        Needs: `customapi` in the business, through a role.
        """
        self.call(UPDATE_CUSTOM_QUERY, Call({"bk_biz_id": bk_biz_id, "id": id}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))

    def delete_custom_query(
        self,
        *,
        bk_biz_id: Id,
        id: str,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Delete a saved query.

        Needs: `customapi` in the business, through a role.
        """
        self.call(DELETE_CUSTOM_QUERY, Call({"bk_biz_id": bk_biz_id, "id": id}, reason=reason, if_match=if_match, idempotency_key=idempotency_key))

    def search_custom_query(
        self,
        *,
        bk_biz_id: Id,
        as_of: str | None = None,
        body: SearchCustomQueryBody | None = None,
    ) -> SearchCustomQueryAnswer:
        """
        Search saved queries of a business; names match as a substring.

        Needs: any identified caller.
        """
        answer: SearchCustomQueryAnswer = self.call(SEARCH_CUSTOM_QUERY, Call({"bk_biz_id": bk_biz_id}, query={"as_of": as_of}, body=body))
        return answer

    def iter_search_custom_query(
        self,
        *,
        bk_biz_id: Id,
        as_of: str | None = None,
        body: SearchCustomQueryCriteria | None = None,
        limit: int = 200,
    ) -> Iterator[CustomQuery]:
        """Every record that search_custom_query finds, read in pages of `limit`."""
        return self.iterate(SEARCH_CUSTOM_QUERY, Call({"bk_biz_id": bk_biz_id}, query={"as_of": as_of}, body=body), sort=None, limit=limit)

    def find_custom_query(
        self,
        *,
        bk_supplier_account: Account,
        as_of: str | None = None,
        body: FindCustomQueryBody | None = None,
    ) -> FindCustomQueryAnswer:
        """
        Search saved queries by a part of their name, in all businesses that are not archived.

        Needs: any identified caller.
        """
        answer: FindCustomQueryAnswer = self.call(FIND_CUSTOM_QUERY, Call({"bk_supplier_account": bk_supplier_account}, query={"as_of": as_of}, body=body))
        return answer

    def iter_find_custom_query(
        self,
        *,
        bk_supplier_account: Account,
        as_of: str | None = None,
        body: FindCustomQueryCriteria | None = None,
        sort: str | None = None,
        limit: int = 200,
    ) -> Iterator[FindCustomQueryAnswerInfo]:
        """Every record that find_custom_query finds, read in pages of `limit`."""
        return self.iterate(FIND_CUSTOM_QUERY, Call({"bk_supplier_account": bk_supplier_account}, query={"as_of": as_of}, body=body), sort=sort, limit=limit)

    def get_custom_query_detail(
        self,
        *,
        bk_biz_id: Id,
        id: str,
        as_of: str | None = None,
    ) -> GetCustomQueryDetailAnswer:
        """
        Get one saved query.

        Needs: any identified caller.
        """
        answer: GetCustomQueryDetailAnswer = self.call(GET_CUSTOM_QUERY_DETAIL, Call({"bk_biz_id": bk_biz_id, "id": id}, query={"as_of": as_of}))
        return answer

    def get_custom_query_data(
        self,
        *,
        bk_biz_id: Id,
        id: str,
        start: int,
        limit: int,
        explain: bool | None = None,
        after: int | None = None,
        as_of: str | None = None,
    ) -> CustomQueryData:
        """
        Run a saved query: the hosts of the business that match, one row each.

        Needs: any identified caller.
        """
        answer: CustomQueryData = self.call(GET_CUSTOM_QUERY_DATA, Call({"bk_biz_id": bk_biz_id, "id": id, "start": start, "limit": limit}, query={"explain": explain, "after": after, "as_of": as_of}))
        return answer

    def iter_get_custom_query_data(
        self,
        *,
        bk_biz_id: Id,
        id: str,
        explain: bool | None = None,
        after: int | None = None,
        as_of: str | None = None,
        limit: int = 200,
    ) -> Iterator[HostRow]:
        """Every record that get_custom_query_data finds, read in pages of `limit`."""
        return self.iterate(GET_CUSTOM_QUERY_DATA, Call({"bk_biz_id": bk_biz_id, "id": id}, query={"explain": explain, "after": after, "as_of": as_of}), sort=None, limit=limit)

    def preview_custom_query(
        self,
        *,
        bk_biz_id: Id,
        body: PreviewCustomQueryBody,
        explain: bool | None = None,
        after: int | None = None,
        as_of: str | None = None,
    ) -> CustomQueryData:
        """
        Run a query that has not been saved.

        Needs: any identified caller.
        """
        answer: CustomQueryData = self.call(PREVIEW_CUSTOM_QUERY, Call({"bk_biz_id": bk_biz_id}, query={"explain": explain, "after": after, "as_of": as_of}, body=body))
        return answer

    def iter_preview_custom_query(
        self,
        *,
        bk_biz_id: Id,
        body: PreviewCustomQueryCriteria,
        explain: bool | None = None,
        after: int | None = None,
        as_of: str | None = None,
        limit: int = 200,
    ) -> Iterator[HostRow]:
        """Every record that preview_custom_query finds, read in pages of `limit`."""
        return self.iterate(PREVIEW_CUSTOM_QUERY, Call({"bk_biz_id": bk_biz_id}, query={"explain": explain, "after": after, "as_of": as_of}, body=body), sort=None, limit=limit)

    def get_prometheus_targets(
        self,
        *,
        bk_biz_id: Id,
        id: str,
        port: int | None = None,
        as_of: str | None = None,
    ) -> list[GetPrometheusTargetsAnswer]:
        """
        The hosts of a saved query as HTTP service discovery of Prometheus (http_sd_configs); at most 100000.

        Needs: any identified caller.
        """
        answer: list[GetPrometheusTargetsAnswer] = self.call(GET_PROMETHEUS_TARGETS, Call({"bk_biz_id": bk_biz_id, "id": id}, query={"port": port, "as_of": as_of}))
        return answer

    def get_ansible_inventory(
        self,
        *,
        bk_biz_id: Id,
        id: str,
        as_of: str | None = None,
    ) -> GetAnsibleInventoryAnswer:
        """
        The hosts of a saved query as an inventory script of Ansible prints it for --list: groups set_... and module_...; at most 100000.

        Needs: any identified caller.
        """
        answer: GetAnsibleInventoryAnswer = self.call(GET_ANSIBLE_INVENTORY, Call({"bk_biz_id": bk_biz_id, "id": id}, query={"as_of": as_of}))
        return answer

    def get_query_csv(
        self,
        *,
        bk_biz_id: Id,
        id: str,
        as_of: str | None = None,
    ) -> str:
        """
        The hosts of a saved query as CSV (RFC 4180), one column for each attribute it shows; at most 100000.

        Needs: any identified caller.
        """
        answer: str = self.call(GET_QUERY_CSV, Call({"bk_biz_id": bk_biz_id, "id": id}, query={"as_of": as_of}))
        return answer

    def import_hosts(
        self,
        *,
        bk_biz_id: Id,
        content: bytes,
        dry_run: bool | None = None,
        atomic: bool | None = None,
        from_: int | None = None,
        content_type: str = "text/csv",
        reason: str | None = None,
    ) -> Iterator[ImportRow | ImportSummary | ImportFailure]:
        """
        Add and update hosts of a business from a CSV or XLSX file, row by row. A host is identified by its inner address and cloud area: importing the same file again changes nothing.

        Needs: `hosttrans` in the business, through a role; for the pool `resource`, through a group.
        """
        answer: Iterator[ImportRow | ImportSummary | ImportFailure] = self.call(IMPORT_HOSTS, Call({"bk_biz_id": bk_biz_id}, query={"dry_run": dry_run, "atomic": atomic, "from": from_}, content=content, content_type=content_type, reason=reason))
        return answer

    def import_topology(
        self,
        *,
        bk_biz_id: Id,
        content: bytes,
        dry_run: bool | None = None,
        atomic: bool | None = None,
        from_: int | None = None,
        content_type: str = "text/csv",
        reason: str | None = None,
    ) -> Iterator[ImportRow | ImportSummary | ImportFailure]:
        """
        Create and update levels, sets and modules of a business from a CSV or XLSX file, row by row. An instance is identified by its path of names.

        Needs: `topoupdate` in the business, through a role.
        """
        answer: Iterator[ImportRow | ImportSummary | ImportFailure] = self.call(IMPORT_TOPOLOGY, Call({"bk_biz_id": bk_biz_id}, query={"dry_run": dry_run, "atomic": atomic, "from": from_}, content=content, content_type=content_type, reason=reason))
        return answer

    def get_import_template(
        self,
        *,
        bk_supplier_account: Account,
        kind: Literal["hosts", "topology"],
        format: Literal["csv", "xlsx"] | None = None,
    ) -> bytes:
        """
        Get an empty import template with every column, its name and its allowed values.

        Needs: any identified caller.
        """
        answer: bytes = self.call(GET_IMPORT_TEMPLATE, Call({"bk_supplier_account": bk_supplier_account, "kind": kind}, query={"format": format}))
        return answer

    def get_host_file(
        self,
        *,
        bk_biz_id: Id,
        format: Literal["csv", "xlsx"] | None = None,
        as_of: str | None = None,
    ) -> bytes:
        """
        Export the hosts of a business as a file that can be imported again.

        Needs: any identified caller.
        """
        answer: bytes = self.call(GET_HOST_FILE, Call({"bk_biz_id": bk_biz_id}, query={"format": format, "as_of": as_of}))
        return answer

    def get_topology_file(
        self,
        *,
        bk_biz_id: Id,
        format: Literal["csv", "xlsx"] | None = None,
        as_of: str | None = None,
    ) -> bytes:
        """
        Export the levels, sets and modules of a business as a file that can be imported again.

        Needs: any identified caller.
        """
        answer: bytes = self.call(GET_TOPOLOGY_FILE, Call({"bk_biz_id": bk_biz_id}, query={"format": format, "as_of": as_of}))
        return answer

    def get_estate(
        self,
        *,
        bk_supplier_account: Account,
        as_of: str | None = None,
    ) -> Iterator[EstateRecord]:
        """
        Export the whole estate of an account as JSON lines: model, levels, businesses, topology, hosts, queries, privileges, subscriptions. Without secrets and ids.

        Needs: an administrator.
        """
        answer: Iterator[EstateRecord] = self.call(GET_ESTATE, Call({"bk_supplier_account": bk_supplier_account}, query={"as_of": as_of}))
        return answer

    def import_estate(
        self,
        *,
        bk_supplier_account: Account,
        content: bytes,
        dry_run: bool | None = None,
        from_: int | None = None,
        content_type: str = "text/csv",
        reason: str | None = None,
    ) -> Iterator[ImportRow | ImportSummary | ImportFailure]:
        """
        Import lines of an estate in their order, all of them or as many as fit into one request. Existing records are left unchanged, and reported if they differ.

        Needs: an administrator.
        """
        answer: Iterator[ImportRow | ImportSummary | ImportFailure] = self.call(IMPORT_ESTATE, Call({"bk_supplier_account": bk_supplier_account}, query={"dry_run": dry_run, "from": from_}, content=content, content_type=content_type, reason=reason))
        return answer

    def get_role_privilege(
        self,
        *,
        bk_supplier_account: Account,
        bk_obj_id: str,
        bk_property_id: str,
        as_of: str | None = None,
    ) -> list[str]:
        """
        List the privileges bound to a role.

        Needs: any identified caller.
        """
        answer: list[str] = self.call(GET_ROLE_PRIVILEGE, Call({"bk_supplier_account": bk_supplier_account, "bk_obj_id": bk_obj_id, "bk_property_id": bk_property_id}, query={"as_of": as_of}))
        return answer

    def bind_role_privilege(
        self,
        *,
        bk_supplier_account: Account,
        bk_obj_id: str,
        bk_property_id: str,
        body: list[str],
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Bind exactly these privileges to a role; the users listed in that role of a business have them there.

        Needs: an administrator.
        """
        self.call(BIND_ROLE_PRIVILEGE, Call({"bk_supplier_account": bk_supplier_account, "bk_obj_id": bk_obj_id, "bk_property_id": bk_property_id}, body=body, reason=reason, idempotency_key=idempotency_key))

    def create_user_group(
        self,
        *,
        bk_supplier_account: Account,
        body: CreateUserGroupBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Create a user group.

        Needs: an administrator.
        """
        self.call(CREATE_USER_GROUP, Call({"bk_supplier_account": bk_supplier_account}, body=body, reason=reason, idempotency_key=idempotency_key))

    def search_user_group(
        self,
        *,
        bk_supplier_account: Account,
        as_of: str | None = None,
        body: SearchUserGroupBody | None = None,
    ) -> list[UserGroup]:
        """
        Search user groups by substrings of their name and member list, in order of creation.

        Needs: an administrator.
        """
        answer: list[UserGroup] = self.call(SEARCH_USER_GROUP, Call({"bk_supplier_account": bk_supplier_account}, query={"as_of": as_of}, body=body))
        return answer

    def update_user_group(
        self,
        *,
        bk_supplier_account: Account,
        group_id: str,
        body: UpdateUserGroupBody | None = None,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Update the name or the members of a user group; an empty list removes all members.

        Needs: an administrator.
        """
        self.call(UPDATE_USER_GROUP, Call({"bk_supplier_account": bk_supplier_account, "group_id": group_id}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))

    def delete_user_group(
        self,
        *,
        bk_supplier_account: Account,
        bk_group_id: str,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Delete a user group and its privileges.

        Needs: an administrator.
        """
        self.call(DELETE_USER_GROUP, Call({"bk_supplier_account": bk_supplier_account, "bk_group_id": bk_group_id}, reason=reason, if_match=if_match, idempotency_key=idempotency_key))

    def get_user_privilege(
        self,
        *,
        bk_supplier_account: Account,
        user_name: str,
        as_of: str | None = None,
    ) -> UserPrivilege:
        """
        Get the privileges of a user through all groups.

        Needs: an administrator, or the user in question.
        """
        answer: UserPrivilege = self.call(GET_USER_PRIVILEGE, Call({"bk_supplier_account": bk_supplier_account, "user_name": user_name}, query={"as_of": as_of}))
        return answer

    def search_group_privilege(
        self,
        *,
        bk_supplier_account: Account,
        group_id: str,
        as_of: str | None = None,
    ) -> GroupPrivilege:
        """
        Get the privileges of a user group.

        Needs: an administrator, or a member of the group.
        """
        answer: GroupPrivilege = self.call(SEARCH_GROUP_PRIVILEGE, Call({"bk_supplier_account": bk_supplier_account, "group_id": group_id}, query={"as_of": as_of}))
        return answer

    def update_group_privilege(
        self,
        *,
        bk_supplier_account: Account,
        group_id: str,
        body: UpdateGroupPrivilegeBody | None = None,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Replace the privileges of a user group.

        Needs: an administrator.
        """
        self.call(UPDATE_GROUP_PRIVILEGE, Call({"bk_supplier_account": bk_supplier_account, "group_id": group_id}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))

    def explain_privilege(
        self,
        *,
        bk_supplier_account: Account,
        user_name: str,
        operation: str | None = None,
        bk_biz_id: int | None = None,
        bk_host_id: str | None = None,
        bk_obj_id: str | None = None,
        bk_inst_id: int | None = None,
        group_id: str | None = None,
        as_of: str | None = None,
    ) -> ExplainPrivilegeAnswer:
        """
        Explain whether a user may call an operation, and why.

        Needs: an administrator, or the user in question.
        """
        answer: ExplainPrivilegeAnswer = self.call(EXPLAIN_PRIVILEGE, Call({"bk_supplier_account": bk_supplier_account, "user_name": user_name}, query={"operation": operation, "bk_biz_id": bk_biz_id, "bk_host_id": bk_host_id, "bk_obj_id": bk_obj_id, "bk_inst_id": bk_inst_id, "group_id": group_id, "as_of": as_of}))
        return answer

    def save_user_custom(
        self,
        *,
        body: SaveUserCustomBody | Mapping[str, Any] | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Save settings of the caller: the keys that are sent replace those of the same name, null removes one.

        Needs: any identified caller.
        """
        self.call(SAVE_USER_CUSTOM, Call({}, body=body, reason=reason, idempotency_key=idempotency_key))

    def search_user_custom(self) -> UserCustom:
        """
        Get the settings of the caller.

        Needs: any identified caller.
        """
        answer: UserCustom = self.call(SEARCH_USER_CUSTOM, Call({}))
        return answer

    def get_user_default_custom(self) -> UserDefaultCustom:
        """
        Get the default settings, for users without their own.

        Needs: any identified caller.
        """
        answer: UserDefaultCustom = self.call(GET_USER_DEFAULT_CUSTOM, Call({}))
        return answer

    def get_operation_log(
        self,
        *,
        body: GetOperationLogBody | None = None,
    ) -> GetOperationLogAnswer:
        """
        Search the operation log. A condition on `inst_name` finds all records of instances that have, or once had, exactly this name. With group_by "txn", one row per change, newest first: of the changes that have a matching record.

        Needs: `audit`, through a group; without it, one’s own businesses are shown.
        """
        answer: GetOperationLogAnswer = self.call(GET_OPERATION_LOG, Call({}, body=body))
        return answer

    def iter_get_operation_log(
        self,
        *,
        body: GetOperationLogCriteria | None = None,
        limit: int = 200,
    ) -> Iterator[GetOperationLogAnswerInfo]:
        """Every record that get_operation_log finds, read in pages of `limit`."""
        return self.iterate(GET_OPERATION_LOG, Call({}, body=body), sort=None, limit=limit)

    def get_log_integrity(
        self,
        *,
        after: int | None = None,
    ) -> GetLogIntegrityAnswer:
        """
        Verify the seals of the log, like `mainline verify`, as many as fit into one request. Continue with `next` until it is null. The log and its seals cover all accounts.

        Needs: `audit`, through a group.
        """
        answer: GetLogIntegrityAnswer = self.call(GET_LOG_INTEGRITY, Call({}, query={"after": after}))
        return answer

    def get_audit_receipt(
        self,
        *,
        position: int,
    ) -> GetAuditReceiptAnswer:
        """
        Get a receipt for one record of the log: the record as it was sealed, its path through the Merkle tree of its segment, and the seal. Checked offline by `mainline verify --receipt FILE`, or as [Sealed and witnessed](/docs/concepts/seals) describes.

        Needs: `audit`, through a group; without it, one’s own businesses are shown.
        """
        answer: GetAuditReceiptAnswer = self.call(GET_AUDIT_RECEIPT, Call({"position": position}))
        return answer

    def undo_change(
        self,
        *,
        dry_run: bool | None = None,
        body: UndoChangeBody | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> UndoChangeAnswer:
        """
        Undo a change, all changes of a request, or single records: what was created is deleted, what was deleted returns under its old id with its attributes, children and placements, updates and moves go back. One transaction. The caller must be able to read the records, or have made the change, and needs the privileges of each inverse operation. With dry_run=true, the plan.

        Needs: `audit`, through a group; without it, one’s own businesses are shown.
        """
        answer: UndoChangeAnswer = self.call(UNDO_CHANGE, Call({}, query={"dry_run": dry_run}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def get_instance_history(
        self,
        *,
        bk_obj_id: str,
        bk_inst_id: Id,
        below: str | None = None,
        op_type: str | None = None,
        from_: int | None = None,
        to: str | None = None,
        start: str | None = None,
        limit: int | None = None,
    ) -> GetInstanceHistoryAnswer:
        """
        Get the versions of a business, set, module, host or other instance, newest first, also of one that was deleted. With below=true, everything that was below it at the time is included: instances, hosts that were placed there, and for a business its saved queries. Readable like the audit log; for objects off the main line also with `search`.

        Needs: `audit`, through a group; without it, one’s own businesses are shown.
        """
        answer: GetInstanceHistoryAnswer = self.call(GET_INSTANCE_HISTORY, Call({"bk_obj_id": bk_obj_id, "bk_inst_id": bk_inst_id}, query={"below": below, "op_type": op_type, "from": from_, "to": to, "start": start, "limit": limit}))
        return answer

    def get_blame(
        self,
        *,
        bk_obj_id: str,
        bk_inst_id: Id,
    ) -> list[GetBlameAnswer]:
        """
        Get who set each value of an instance, when, and why: for every field that has a value or was changed, the newest record that set it. For a host also who placed it in its modules (`bk_module_id`). Readable like its versions.

        Needs: `audit`, through a group; without it, one’s own businesses are shown.
        """
        answer: list[GetBlameAnswer] = self.call(GET_BLAME, Call({"bk_obj_id": bk_obj_id, "bk_inst_id": bk_inst_id}))
        return answer

    def get_diff(
        self,
        *,
        body: GetDiffBody,
    ) -> GetDiffAnswer:
        """
        Compare two moments of a business, or of an instance with everything below it: what was created, deleted, changed and moved, field by field, with who did it. With `query_id`, the hosts in the result of a saved query, as it was defined at the later moment. What differed only in between is not listed. Of records in businesses that the caller may not audit only the position is told. With `Accept: application/x-ndjson` all rows are sent as JSON lines: first the moments, last the counts. Readable like the audit log.

        Needs: `audit`, through a group; without it, one’s own businesses are shown.
        """
        answer: GetDiffAnswer = self.call(GET_DIFF, Call({}, body=body))
        return answer

    def iter_get_diff(
        self,
        *,
        body: GetDiffCriteria,
        sort: str | None = None,
        limit: int = 200,
    ) -> Iterator[GetDiffAnswerInfo]:
        """Every record that get_diff finds, read in pages of `limit`."""
        return self.iterate(GET_DIFF, Call({}, body=body), sort=sort, limit=limit)

    def ping_subscription(
        self,
        *,
        body: PingSubscriptionBody,
    ) -> list[PingSubscriptionAnswer]:
        """
        Send data to a callback and return its response.

        Needs: `event`, through a group.
        """
        answer: list[PingSubscriptionAnswer] = self.call(PING_SUBSCRIPTION, Call({}, body=body))
        return answer

    def testing_connection(
        self,
        *,
        body: TestingConnectionBody,
    ) -> Literal["success"]:
        """
        Test whether a callback is reachable: connects and sends nothing.

        Needs: `event`, through a group.
        """
        answer: Literal["success"] = self.call(TESTING_CONNECTION, Call({}, body=body))
        return answer

    def search_event_catalogue(self) -> list[SearchEventCatalogueAnswer]:
        """
        List the events that can be subscribed to, each with a sample body.

        Needs: any identified caller.
        """
        answer: list[SearchEventCatalogueAnswer] = self.call(SEARCH_EVENT_CATALOGUE, Call({}))
        return answer

    def watch_resource(
        self,
        *,
        bk_resource: str,
        body: WatchResourceBody | None = None,
    ) -> WatchResourceAnswer:
        """
        Watch the events of one resource (long polling): biz, set, module, host, any object, host_relation (a host in a module), host_identifier (names of where a host stands), customquery:<id> (hosts in the result of a saved query that a subscription names), history (the log was reset to an earlier position). Responds immediately with up to 200 events, or within 20 s with none and a cursor to resume from.

        Needs: `event`, through a group.
        """
        answer: WatchResourceAnswer = self.call(WATCH_RESOURCE, Call({"bk_resource": bk_resource}, body=body))
        return answer

    def stream_events(
        self,
        *,
        resource: str | None = None,
        bk_biz_id: int | None = None,
        bk_cursor: str | None = None,
        filter: str | None = None,
    ) -> Iterator[StreamEventsAnswer]:
        """
        Stream events as server-sent events: each id is a cursor, each data is an entry as returned by watch_resource. Last-Event-ID resumes.

        Needs: `event`, through a group.
        """
        answer: Iterator[StreamEventsAnswer] = self.call(STREAM_EVENTS, Call({}, query={"resource": resource, "bk_biz_id": bk_biz_id, "bk_cursor": bk_cursor, "filter": filter}))
        return answer

    def try_events(
        self,
        *,
        body: TryEventsBody,
    ) -> TryEventsAnswer:
        """
        Try a subscription's form and filter on the log: how many of the events since a moment would have been delivered, and the newest 20 with their bodies. Reads backwards from now, for at most a few seconds; `complete` and `since` say how far it got.

        Needs: `event`, through a group.
        """
        answer: TryEventsAnswer = self.call(TRY_EVENTS, Call({}, body=body))
        return answer

    def subscribe_event(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: int,
        body: SubscribeEventBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> SubscribeEventAnswer:
        """
        Subscribe a callback to events from now on. The signing secret is returned only once, here.

        Needs: `event`, through a group.
        """
        answer: SubscribeEventAnswer = self.call(SUBSCRIBE_EVENT, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def search_subscription(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: int,
        body: SearchSubscriptionBody | None = None,
    ) -> list[Subscription]:
        """
        List subscriptions: of a business, or with business 0 of the whole account.

        Needs: `event`, through a group.
        """
        answer: list[Subscription] = self.call(SEARCH_SUBSCRIPTION, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id}, body=body))
        return answer

    def rotate_subscription_secret(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: int,
        subscription_id: Id,
        body: RotateSubscriptionSecretBody | None = None,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> RotateSubscriptionSecretAnswer:
        """
        Replace the signing secret. For 24 hours pushes are signed with both.

        Needs: `event`, through a group.
        """
        answer: RotateSubscriptionSecretAnswer = self.call(ROTATE_SUBSCRIPTION_SECRET, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id, "subscription_id": subscription_id}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def pause_subscription(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: int,
        subscription_id: Id,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Pause a subscription; no events are lost meanwhile.

        Needs: `event`, through a group.
        """
        answer: Literal["success"] = self.call(PAUSE_SUBSCRIPTION, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id, "subscription_id": subscription_id}, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def resume_subscription(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: int,
        subscription_id: Id,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Resume a paused subscription; also acknowledges lapsed events.

        Needs: `event`, through a group.
        """
        answer: Literal["success"] = self.call(RESUME_SUBSCRIPTION, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id, "subscription_id": subscription_id}, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def list_subscription_attempts(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: int,
        subscription_id: Id,
    ) -> list[DeliveryAttempt]:
        """
        List the last 100 pushes, newest first.

        Needs: `event`, through a group.
        """
        answer: list[DeliveryAttempt] = self.call(LIST_SUBSCRIPTION_ATTEMPTS, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id, "subscription_id": subscription_id}))
        return answer

    def list_instance_attempts(
        self,
        *,
        bk_supplier_account: Account,
        bk_obj_id: str,
        bk_inst_id: Id,
    ) -> list[ListInstanceAttemptsAnswer]:
        """
        List the pushes of one instance, newest first: those among the last 100 of each subscription, at most 100. Empty if there are none, no such instance, or the caller may not search the object.

        Needs: `event`, through a group.
        """
        answer: list[ListInstanceAttemptsAnswer] = self.call(LIST_INSTANCE_ATTEMPTS, Call({"bk_supplier_account": bk_supplier_account, "bk_obj_id": bk_obj_id, "bk_inst_id": bk_inst_id}))
        return answer

    def list_subscription_dead_letters(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: int,
        subscription_id: Id,
        after: int | None = None,
    ) -> list[DeadLetter]:
        """
        List the events that were rejected on every attempt: the first 200 by position after `after`, plus the remaining ones of the last position.

        Needs: `event`, through a group.
        """
        answer: list[DeadLetter] = self.call(LIST_SUBSCRIPTION_DEAD_LETTERS, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id, "subscription_id": subscription_id}, query={"after": after}))
        return answer

    def replay_subscription(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: int,
        subscription_id: Id,
        body: ReplaySubscriptionBody | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> ReplaySubscriptionAnswer:
        """
        Replay the dead letters, or the matching events of a range of positions or of time.

        Needs: `event`, through a group.
        """
        answer: ReplaySubscriptionAnswer = self.call(REPLAY_SUBSCRIPTION, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id, "subscription_id": subscription_id}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def discard_subscription_dead_letters(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: int,
        subscription_id: Id,
        body: DiscardSubscriptionDeadLettersBody | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> DiscardSubscriptionDeadLettersAnswer:
        """
        Discard dead letters: all of them, or those of a range of positions. They are not sent again by a replay of dead letters.

        Needs: `event`, through a group.
        """
        answer: DiscardSubscriptionDeadLettersAnswer = self.call(DISCARD_SUBSCRIPTION_DEAD_LETTERS, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id, "subscription_id": subscription_id}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def update_event_subscribe(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: int,
        subscription_id: Id,
        body: UpdateEventSubscribeBody,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Replace a subscription. It keeps its position and statistics; pending events follow the new form.

        Needs: `event`, through a group.
        """
        answer: Literal["success"] = self.call(UPDATE_EVENT_SUBSCRIBE, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id, "subscription_id": subscription_id}, body=body, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def unsubcribe_event(
        self,
        *,
        bk_supplier_account: Account,
        bk_biz_id: int,
        subscription_id: Id,
        reason: str | None = None,
        if_match: int | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Delete a subscription; its pending events are dropped.

        Needs: `event`, through a group.
        """
        answer: Literal["success"] = self.call(UNSUBCRIBE_EVENT, Call({"bk_supplier_account": bk_supplier_account, "bk_biz_id": bk_biz_id, "subscription_id": subscription_id}, reason=reason, if_match=if_match, idempotency_key=idempotency_key))
        return answer

    def create_classification(
        self,
        *,
        body: CreateClassificationBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Classification:
        """
        Create a classification of objects.

        Needs: `model`, through a group.
        """
        answer: Classification = self.call(CREATE_CLASSIFICATION, Call({}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def update_classification(
        self,
        *,
        id: Id,
        body: UpdateClassificationBody | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Update the name or the icon of a classification.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] = self.call(UPDATE_CLASSIFICATION, Call({"id": id}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def delete_classification(
        self,
        *,
        id: Id,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Delete a classification without objects.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] = self.call(DELETE_CLASSIFICATION, Call({"id": id}, reason=reason, idempotency_key=idempotency_key))
        return answer

    def search_classifications(
        self,
        *,
        as_of: str | None = None,
        body: SearchClassificationsBody | Mapping[str, Any] | None = None,
    ) -> list[Classification]:
        """
        Search classifications.

        Needs: any identified caller.
        """
        answer: list[Classification] = self.call(SEARCH_CLASSIFICATIONS, Call({}, query={"as_of": as_of}, body=body))
        return answer

    def search_classification_objects(
        self,
        *,
        bk_supplier_account: Account,
        as_of: str | None = None,
        body: SearchClassificationObjectsBody | Mapping[str, Any] | None = None,
    ) -> list[SearchClassificationObjectsAnswer]:
        """
        Search classifications, each with its objects.

        Needs: any identified caller.
        """
        answer: list[SearchClassificationObjectsAnswer] = self.call(SEARCH_CLASSIFICATION_OBJECTS, Call({"bk_supplier_account": bk_supplier_account}, query={"as_of": as_of}, body=body))
        return answer

    def create_object(
        self,
        *,
        body: CreateObjectBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> ModelObject:
        """
        Create an object outside the main line, with the attribute bk_inst_name.

        Needs: `model`, through a group.
        """
        answer: ModelObject = self.call(CREATE_OBJECT, Call({}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def update_object(
        self,
        *,
        id: Id,
        body: UpdateObjectBody | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Update the name, icon or classification of an object, or pause it.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] = self.call(UPDATE_OBJECT, Call({"id": id}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def delete_object(
        self,
        *,
        id: Id,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Delete an object without instances, with its attributes and groups.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] = self.call(DELETE_OBJECT, Call({"id": id}, reason=reason, idempotency_key=idempotency_key))
        return answer

    def search_objects(
        self,
        *,
        as_of: str | None = None,
        body: SearchObjectsBody | Mapping[str, Any] | None = None,
    ) -> list[ModelObject]:
        """
        Search objects.

        Needs: any identified caller.
        """
        answer: list[ModelObject] = self.call(SEARCH_OBJECTS, Call({}, query={"as_of": as_of}, body=body))
        return answer

    def create_object_attribute(
        self,
        *,
        body: CreateObjectAttributeBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> ModelAttribute:
        """
        Create an attribute; it can be used from the next request on.

        Needs: `model`, through a group.
        """
        answer: ModelAttribute = self.call(CREATE_OBJECT_ATTRIBUTE, Call({}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def update_object_attribute(
        self,
        *,
        id: Id,
        body: UpdateObjectAttributeBody | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Update an attribute; its identifier and type cannot be changed.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] = self.call(UPDATE_OBJECT_ATTRIBUTE, Call({"id": id}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def delete_object_attribute(
        self,
        *,
        id: Id,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Delete an attribute that is not built in. Its values are no longer shown.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] = self.call(DELETE_OBJECT_ATTRIBUTE, Call({"id": id}, reason=reason, idempotency_key=idempotency_key))
        return answer

    def search_object_attributes(
        self,
        *,
        as_of: str | None = None,
        body: SearchObjectAttributesBody | Mapping[str, Any] | None = None,
    ) -> list[ModelAttribute]:
        """
        Search attributes, in the order of the object.

        Needs: any identified caller.
        """
        answer: list[ModelAttribute] = self.call(SEARCH_OBJECT_ATTRIBUTES, Call({}, query={"as_of": as_of}, body=body))
        return answer

    def create_attribute_group(
        self,
        *,
        body: CreateAttributeGroupBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> AttributeGroup:
        """
        Create an attribute group.

        Needs: `model`, through a group.
        """
        answer: AttributeGroup = self.call(CREATE_ATTRIBUTE_GROUP, Call({}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def update_attribute_group(
        self,
        *,
        body: UpdateAttributeGroupBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Update the name or the position of an attribute group.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] = self.call(UPDATE_ATTRIBUTE_GROUP, Call({}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def delete_attribute_group(
        self,
        *,
        id: Id,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Delete an attribute group without attributes.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] = self.call(DELETE_ATTRIBUTE_GROUP, Call({"id": id}, reason=reason, idempotency_key=idempotency_key))
        return answer

    def move_object_attributes(
        self,
        *,
        body: MoveObjectAttributesBody,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Move attributes to other groups of their objects or to other positions: all of them or none.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] = self.call(MOVE_OBJECT_ATTRIBUTES, Call({}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def remove_attribute_from_group(
        self,
        *,
        bk_supplier_account: Account,
        bk_obj_id: str,
        bk_property_id: str,
        bk_group_id: str,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Move an attribute out of its group: it is then in the group "default".

        Needs: `model`, through a group.
        """
        answer: Literal["success"] = self.call(REMOVE_ATTRIBUTE_FROM_GROUP, Call({"bk_supplier_account": bk_supplier_account, "bk_obj_id": bk_obj_id, "bk_property_id": bk_property_id, "bk_group_id": bk_group_id}, reason=reason, idempotency_key=idempotency_key))
        return answer

    def search_attribute_groups(
        self,
        *,
        bk_supplier_account: Account,
        bk_obj_id: str,
        as_of: str | None = None,
    ) -> list[AttributeGroup]:
        """
        List the attribute groups of an object in order.

        Needs: any identified caller.
        """
        answer: list[AttributeGroup] = self.call(SEARCH_ATTRIBUTE_GROUPS, Call({"bk_supplier_account": bk_supplier_account, "bk_obj_id": bk_obj_id}, query={"as_of": as_of}))
        return answer

    def create_object_unique(
        self,
        *,
        bk_obj_id: str,
        body: CreateObjectUniqueBody | Mapping[str, Any],
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> CreateObjectUniqueAnswer:
        """
        Create a unique rule: no two instances of the object have the same values in these attributes. Existing instances are checked first; if there are many, in the background.

        Needs: `model`, through a group.
        """
        answer: CreateObjectUniqueAnswer = self.call(CREATE_OBJECT_UNIQUE, Call({"bk_obj_id": bk_obj_id}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def update_object_unique(
        self,
        *,
        bk_obj_id: str,
        id: Id,
        body: UpdateObjectUniqueBody | Mapping[str, Any] | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Update a unique rule. Existing instances are checked as for a new one, also if the rule had been refused.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] = self.call(UPDATE_OBJECT_UNIQUE, Call({"bk_obj_id": bk_obj_id, "id": id}, body=body, reason=reason, idempotency_key=idempotency_key))
        return answer

    def delete_object_unique(
        self,
        *,
        bk_obj_id: str,
        id: Id,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Literal["success"]:
        """
        Delete a unique rule, also while existing instances are being checked.

        Needs: `model`, through a group.
        """
        answer: Literal["success"] = self.call(DELETE_OBJECT_UNIQUE, Call({"bk_obj_id": bk_obj_id, "id": id}, reason=reason, idempotency_key=idempotency_key))
        return answer

    def search_object_unique(
        self,
        *,
        bk_obj_id: str,
    ) -> list[SearchObjectUniqueAnswer]:
        """
        The unique rules of an object. The built-in one first: names among siblings, on the main line under one parent; hosts by inner address and cloud area.

        Needs: any identified caller.
        """
        answer: list[SearchObjectUniqueAnswer] = self.call(SEARCH_OBJECT_UNIQUE, Call({"bk_obj_id": bk_obj_id}))
        return answer

    def get_session(self) -> GetSessionAnswer:
        """
        Get the identity of the caller, and how to sign in.

        Needs: nothing, not even to say who calls.
        """
        answer: GetSessionAnswer = self.call(GET_SESSION, Call({}))
        return answer
