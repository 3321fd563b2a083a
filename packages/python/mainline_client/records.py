"""What operations take and answer. Generated from the contract by `npm run openapi`: not edited by hand."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

Account: TypeAlias = "str"
"""supplier account code"""

class AddHostReport(TypedDict):
    success: list[str]
    """rows that were added or updated"""
    error: list[str]
    """rows that could not be added, each with the reason"""
    update_error: list[str]
    """rows that could not be updated, each with the reason"""
    hosts: dict[str, int]
    """row to the bk_host_id of its host"""

class AttributeGroup(TypedDict):
    id: int
    bk_group_id: str
    bk_group_name: str
    bk_group_index: int
    bk_obj_id: str
    bk_isdefault: bool
    ispre: bool
    """built in: cannot be deleted"""
    bk_supplier_account: str

AttributeValue: TypeAlias = "str | float | bool | None"
"""of the type that the model gives the attribute; null when it is not set"""

Attributes: TypeAlias = "dict[str, AttributeValue]"

class Business(TypedDict):
    bk_biz_id: int
    bk_biz_name: str
    bk_supplier_account: str
    default: int
    """1 for the resource pool, else 0"""
    bk_data_status: str
    """enable, or disabled when archived"""
    life_cycle: str | None
    time_zone: str
    language: str
    bk_biz_maintainer: str
    bk_biz_productor: str
    bk_biz_tester: str
    bk_biz_developer: str
    operator: str
    create_time: str
    """ISO 8601 with milliseconds and offset"""
    last_time: str
    """ISO 8601 with milliseconds and offset"""
    bk_revision: NotRequired[int]
    """present if requested in `fields`: for the If-Match of a change"""

class BusinessSelection(TypedDict):
    bk_biz_id: NotRequired[int]
    bk_biz_name: NotRequired[str]
    bk_supplier_account: NotRequired[str]
    default: NotRequired[int]
    """1 for the resource pool, else 0"""
    bk_data_status: NotRequired[str]
    """enable, or disabled when archived"""
    life_cycle: NotRequired[str | None]
    time_zone: NotRequired[str]
    language: NotRequired[str]
    bk_biz_maintainer: NotRequired[str]
    bk_biz_productor: NotRequired[str]
    bk_biz_tester: NotRequired[str]
    bk_biz_developer: NotRequired[str]
    operator: NotRequired[str]
    create_time: NotRequired[str]
    """ISO 8601 with milliseconds and offset"""
    last_time: NotRequired[str]
    """ISO 8601 with milliseconds and offset"""
    bk_revision: NotRequired[int]
    """present if requested in `fields`: for the If-Match of a change"""

class Classification(TypedDict):
    id: int
    bk_classification_id: str
    bk_classification_name: str
    bk_classification_icon: str
    bk_classification_type: str
    """inner if built in, else empty"""
    bk_supplier_account: str

Condition: TypeAlias = "dict[str, JsonValue]"
"""Fields with a value (equality) or with operators: $eq $ne $neq $in $nin $gt $gte $lt $lte $regex $exists; $or and $and at the top."""

class CustomQuery(TypedDict):
    id: str
    bk_biz_id: int
    name: str
    info: str
    """the query, JSON as text, byte for byte as it was saved"""
    create_time: str
    create_user: str
    last_time: str
    """empty until the first update"""
    modify_user: str
    """empty until the first update"""
    bk_revision: NotRequired[int]
    """present if requested in `fields`: for the If-Match of a change"""

class CustomQueryDataExplainStatements(TypedDict):
    what: str
    sql: str
    plan: list[str]
    milliseconds: float

class CustomQueryDataExplain(TypedDict):
    statements: list[CustomQueryDataExplainStatements]

class CustomQueryData(TypedDict):
    count: int
    """how many hosts match, before paging"""
    info: list[HostRow]
    explain: NotRequired[CustomQueryDataExplain]

class DeadLetter(TypedDict):
    position: int
    event: int
    """which event of the record at this position, from 0"""
    event_name: str
    """empty if its record has been removed by retention"""
    bk_obj_id: str
    """the object of the instance that it is about; empty with event_name"""
    bk_inst_id: int | None
    """the instance; null with event_name empty"""
    request_body: str | None
    """the body, made from the log again; null if its record has been removed, if the caller may not search its object, and for hostidentifier, whose data is looked up when it is sent"""
    webhook_id: str
    distribution_id: int
    tries: int
    time: str
    """ISO 8601 with milliseconds and offset"""
    error: str
    """why the last attempt failed, in the caller's language"""

class DeletionPreviewMoves(TypedDict):
    bk_obj_id: str
    bk_inst_id: int
    bk_inst_name: str

class DeletionPreviewGoes(TypedDict):
    bk_obj_id: str
    bk_inst_id: int
    bk_inst_name: str

class DeletionPreviewConflicts(TypedDict):
    bk_inst_name: str
    parent_name: str
    count: int

class DeletionPreview(TypedDict):
    moves: list[DeletionPreviewMoves]
    """instances that would move to another parent, at most 1000 of them"""
    moves_count: int
    """how many instances would move"""
    goes: list[DeletionPreviewGoes]
    """instances that would be deleted, from the top down, at most 1000 of them"""
    count: int
    """how many instances would be deleted"""
    conflicts: list[DeletionPreviewConflicts]
    """names that would be duplicated under one parent; the deletion is rejected unless there are none"""
    hosts: int
    """number of hosts that prevent the deletion; it is rejected unless this is 0"""

class DeliveryAttempt(TypedDict):
    time: str
    """ISO 8601 with milliseconds and offset"""
    position: int
    event: int
    """which event of the record at this position, from 0"""
    event_name: str
    """empty if its record has been removed by retention"""
    bk_obj_id: str
    """the object of the instance that it is about; empty with event_name"""
    bk_inst_id: int | None
    """the instance; null with event_name empty"""
    request_body: str | None
    """the body, made from the log again; null if its record has been removed, if the caller may not search its object, and for hostidentifier, whose data is looked up when it is sent"""
    webhook_id: str
    distribution_id: int
    result: str
    """confirmed, rejected or unreachable"""
    http_status: int | None
    duration: int
    """milliseconds"""
    error: str
    """why it was not confirmed, in the caller's language"""
    response_body: str
    """its first 1,024 characters"""

EstateRecord = TypedDict(
    "EstateRecord",
    {
        "is": "str",
    },
)

class GroupPrivilegePrivilege(TypedDict):
    sys_config: SystemConfig
    model_config: ModelConfig

class GroupPrivilege(TypedDict):
    group_id: str
    bk_supplier_account: str
    sys_config: SystemConfig
    back_config: list[str]
    model_config: ModelConfig
    privilege: GroupPrivilegePrivilege

class HostAttributes(TypedDict):
    bk_host_innerip: NotRequired[str | None]
    """IPv4 or IPv6, or a comma list of them; required for a new host"""
    bk_cloud_id: NotRequired[int | None]
    """cloud area, default 0"""
    bk_host_name: NotRequired[str | None]
    """host name"""
    bk_os_type: NotRequired[str | None]
    """1 Linux, 2 Windows, 3 AIX"""
    operator: NotRequired[str | None]
    """maintainers, a comma list of user names"""

class HostFavorite(TypedDict):
    id: str
    name: str
    info: str
    query_params: str
    is_default: int
    count: int
    """how often it has been used"""
    user: str
    create_time: str
    """ISO 8601 with milliseconds and offset"""
    last_time: str
    """ISO 8601 with milliseconds and offset"""

class HostFavoriteSelection(TypedDict):
    id: NotRequired[str]
    name: NotRequired[str]
    info: NotRequired[str]
    query_params: NotRequired[str]
    is_default: NotRequired[int]
    count: NotRequired[int]
    """how often it has been used"""
    user: NotRequired[str]
    create_time: NotRequired[str]
    """ISO 8601 with milliseconds and offset"""
    last_time: NotRequired[str]
    """ISO 8601 with milliseconds and offset"""

class HostFilterItemCondition(TypedDict):
    field: str
    operator: str
    value: NotRequired[JsonValue | None]

class HostFilterItem(TypedDict):
    bk_obj_id: str
    """biz, set, module, host, object or plat"""
    fields: NotRequired[list[str] | None]
    condition: NotRequired[list[HostFilterItemCondition] | None]

HostFilter: TypeAlias = "list[HostFilterItem]"

class HostHistory(TypedDict):
    id: str
    content: str
    user: str
    create_time: str
    """ISO 8601 with milliseconds and offset"""

class HostHistorySelection(TypedDict):
    id: NotRequired[str]
    content: NotRequired[str]
    user: NotRequired[str]
    create_time: NotRequired[str]
    """ISO 8601 with milliseconds and offset"""

class HostRow(TypedDict):
    biz: Attributes
    set: Attributes
    module: Attributes
    host: Attributes

class HostSelection(TypedDict):
    bk_host_id: NotRequired[int]
    bk_host_innerip: NotRequired[str]
    """an address or a comma list of them"""
    bk_cloud_id: NotRequired[int]
    """cloud area; together with the inner addresses it identifies a host"""
    bk_host_name: NotRequired[str]
    bk_os_type: NotRequired[str | None]
    operator: NotRequired[str]
    bk_supplier_account: NotRequired[str]
    create_time: NotRequired[str]
    """ISO 8601 with milliseconds and offset"""
    last_time: NotRequired[str]
    """ISO 8601 with milliseconds and offset"""
    bk_revision: NotRequired[int]
    """present if requested in `fields`: for the If-Match of a change"""

Id: TypeAlias = "int"

class ImportFailure(TypedDict):
    bk_error_code: int
    bk_error_msg: str

class ImportRow(TypedDict):
    row: int
    outcome: Literal["created", "updated", "unchanged", "failed", "skipped"]
    id: NotRequired[int]
    """bk_host_id or the id of the instance"""
    code: NotRequired[int]
    """of a row that failed"""
    why: NotRequired[str]
    """of a row that failed"""

class ImportSummaryFailedFile(TypedDict):
    name: str
    type: str
    base64: str
    """the rows that failed in the format of the file, with a column import_error"""

class ImportSummary(TypedDict):
    done: Literal[True]
    rows: int
    created: int
    updated: int
    unchanged: int
    """already had the values of the row"""
    failed: int
    skipped: int
    """would have been imported if no other row had failed"""
    dry_run: bool
    failed_file: ImportSummaryFailedFile | None

class Instance(TypedDict):
    bk_inst_id: int
    bk_inst_name: NotRequired[str]
    """absent in a cloud area, which has bk_cloud_name"""
    bk_cloud_name: NotRequired[str]
    """of a cloud area, the object plat"""
    bk_cloud_id: NotRequired[int]
    """of a cloud area, the same as bk_inst_id"""
    bk_parent_id: int
    """the instance above on the main line; 0 outside it"""
    bk_biz_id: int
    """the business of an instance of the main line; 0 outside it"""
    bk_supplier_account: str
    default: int
    bk_obj_id: str
    creator: str
    create_time: str
    """ISO 8601 with milliseconds and offset"""
    last_time: str
    """ISO 8601 with milliseconds and offset"""
    bk_revision: NotRequired[int]
    """present if requested in `fields`: for the If-Match of a change"""

class InstanceSelection(TypedDict):
    bk_inst_id: NotRequired[int]
    bk_inst_name: NotRequired[str]
    """absent in a cloud area, which has bk_cloud_name"""
    bk_cloud_name: NotRequired[str]
    """of a cloud area, the object plat"""
    bk_cloud_id: NotRequired[int]
    """of a cloud area, the same as bk_inst_id"""
    bk_parent_id: NotRequired[int]
    """the instance above on the main line; 0 outside it"""
    bk_biz_id: NotRequired[int]
    """the business of an instance of the main line; 0 outside it"""
    bk_supplier_account: NotRequired[str]
    default: NotRequired[int]
    bk_obj_id: NotRequired[str]
    creator: NotRequired[str]
    create_time: NotRequired[str]
    """ISO 8601 with milliseconds and offset"""
    last_time: NotRequired[str]
    """ISO 8601 with milliseconds and offset"""
    bk_revision: NotRequired[int]
    """present if requested in `fields`: for the If-Match of a change"""

JsonObject: TypeAlias = "dict[str, JsonValue]"

JsonValue: TypeAlias = "str | float | bool | list[Any] | dict[str, Any] | None"
"""any JSON value"""

class MainlineObject(TypedDict):
    bk_obj_id: str
    bk_obj_name: str
    bk_pre_obj_id: str
    bk_pre_obj_name: str
    bk_next_obj: str
    bk_next_name: str
    bk_supplier_account: str

class ModelAttribute(TypedDict):
    id: int
    bk_supplier_account: str
    bk_obj_id: str
    bk_property_id: str
    bk_property_name: str
    bk_property_type: str
    bk_property_group: str
    bk_property_group_name: str
    bk_property_index: int
    """its place among the attributes of the object"""
    option: str | float | bool | list[Any] | dict[str, Any] | None
    """enum: [{id, name, type, is_default}]; int and float: {min, max}; singlechar and longchar: a pattern of RE2"""
    unit: str
    placeholder: str
    editable: bool
    """whether forms offer to change it"""
    isrequired: bool
    ispre: bool
    """built in: cannot be deleted"""
    isreadonly: bool
    isonly: bool
    """the name or address that identifies instances"""
    searchable: bool
    """indexed: conditions find instances by its value without a scan"""
    bk_searchable_state: str
    """filling while existing instances are indexed, then ready; empty if it is not searchable"""
    creator: str
    create_time: str
    """ISO 8601 with milliseconds and offset"""
    last_time: str
    """ISO 8601 with milliseconds and offset"""

ModelConfig: TypeAlias = "dict[str, dict[str, list[str]]]"
"""classification -> object -> create, update, delete, search"""

class ModelObject(TypedDict):
    id: int
    bk_obj_id: str
    bk_obj_name: str
    bk_obj_icon: str
    bk_classification_id: str
    bk_supplier_account: str
    ispre: bool
    """built in"""
    bk_ispaused: bool
    """no new instances"""
    creator: str
    create_time: str
    """ISO 8601 with milliseconds and offset"""
    last_time: str
    """ISO 8601 with milliseconds and offset"""

class Module(TypedDict):
    bk_module_id: int
    bk_module_name: str
    bk_set_id: int
    bk_parent_id: int
    """the set, as bk_set_id"""
    bk_biz_id: int
    bk_supplier_account: str
    default: int
    """1 for the idle module, 2 for the fault module, else 0"""
    bk_module_type: str | None
    operator: str
    bk_bak_operator: str
    create_time: str
    """ISO 8601 with milliseconds and offset"""
    last_time: str
    """ISO 8601 with milliseconds and offset"""
    bk_revision: NotRequired[int]
    """present if requested in `fields`: for the If-Match of a change"""

class ModuleSelection(TypedDict):
    bk_module_id: NotRequired[int]
    bk_module_name: NotRequired[str]
    bk_set_id: NotRequired[int]
    bk_parent_id: NotRequired[int]
    """the set, as bk_set_id"""
    bk_biz_id: NotRequired[int]
    bk_supplier_account: NotRequired[str]
    default: NotRequired[int]
    """1 for the idle module, 2 for the fault module, else 0"""
    bk_module_type: NotRequired[str | None]
    operator: NotRequired[str]
    bk_bak_operator: NotRequired[str]
    create_time: NotRequired[str]
    """ISO 8601 with milliseconds and offset"""
    last_time: NotRequired[str]
    """ISO 8601 with milliseconds and offset"""
    bk_revision: NotRequired[int]
    """present if requested in `fields`: for the If-Match of a change"""

class Page(TypedDict):
    start: int
    """record offset"""
    limit: int
    """page size"""
    sort: NotRequired[str | None]
    """field, -field for descending, or a comma list"""

class PartialPage(TypedDict):
    start: NotRequired[int | None]
    """record offset"""
    limit: NotRequired[int | None]
    """page size"""
    sort: NotRequired[str | None]
    """field, -field for descending, or a comma list"""

class Set(TypedDict):
    bk_set_id: int
    bk_set_name: str
    bk_parent_id: int
    bk_biz_id: int
    bk_supplier_account: str
    default: int
    """1 for the built-in idle pool, else 0"""
    bk_capacity: int | None
    description: str
    bk_service_status: str | None
    bk_set_env: str | None
    bk_set_desc: str
    create_time: str
    """ISO 8601 with milliseconds and offset"""
    last_time: str
    """ISO 8601 with milliseconds and offset"""
    bk_revision: NotRequired[int]
    """present if requested in `fields`: for the If-Match of a change"""

class SetSelection(TypedDict):
    bk_set_id: NotRequired[int]
    bk_set_name: NotRequired[str]
    bk_parent_id: NotRequired[int]
    bk_biz_id: NotRequired[int]
    bk_supplier_account: NotRequired[str]
    default: NotRequired[int]
    """1 for the built-in idle pool, else 0"""
    bk_capacity: NotRequired[int | None]
    description: NotRequired[str]
    bk_service_status: NotRequired[str | None]
    bk_set_env: NotRequired[str | None]
    bk_set_desc: NotRequired[str]
    create_time: NotRequired[str]
    """ISO 8601 with milliseconds and offset"""
    last_time: NotRequired[str]
    """ISO 8601 with milliseconds and offset"""
    bk_revision: NotRequired[int]
    """present if requested in `fields`: for the If-Match of a change"""

class SubscriptionBatch(TypedDict):
    """null: one event in each request"""
    max: int
    wait_ms: int

class SubscriptionStatistics(TypedDict):
    total: int
    failure: int

class Subscription(TypedDict):
    subscription_id: int
    subscription_name: str
    system_name: str
    callback_url: str
    """to callers who may not change the subscription only its host, as https://host/***"""
    confirm_mode: str
    confirm_pattern: str
    subscription_form: str
    filter: dict[str, JsonValue] | None
    """null: every event of the form"""
    filter_problem: str
    """why the filter cannot be applied any more, in the caller's language, such as a deleted attribute; events are then delivered without it"""
    timeout: int
    time_out: int
    parallel: int
    format: str
    """bk-cmdb, cloudevents"""
    batch: SubscriptionBatch | None
    """null: one event in each request"""
    operator: str
    """last updater"""
    last_time: str
    """ISO 8601 with milliseconds and offset"""
    bk_biz_id: int
    bk_supplier_account: str
    statistics: SubscriptionStatistics
    state: str
    """active, paused, unreachable, lapsed"""
    state_reason: str
    """why it is not active, or which events are withheld, in the caller's language"""
    position: int
    """all log records up to here have been sent, queued for retry or dead-lettered"""
    lag: int
    """log records after the position that have not been processed"""
    waiting: int
    """rejected events that will be retried"""
    dead_letters: int
    """rejected events that are not retried unless replayed"""
    bk_revision: int
    """for the If-Match of a change"""

class SystemConfig(TypedDict):
    global_busi: list[str]
    back_config: list[str]

class TopologyNode(TypedDict):
    default: int
    """1 the idle module, 2 the fault module, 0 otherwise"""
    bk_inst_id: int
    bk_inst_name: str
    bk_obj_id: str
    bk_obj_name: str
    child: list[TopologyNode]
    """child nodes; empty for a module"""

class UserCustom(TypedDict):
    """Besides these, all other saved keys."""
    host_query_column: list[str]
    """host query fields"""
    host_display_column: list[str]
    """host display fields"""
    biz_query_column: list[str]
    """business query fields"""
    biz_display_column: list[str]
    """business display fields"""
    bk_biz_id: int
    """business ID; 0 when there is none"""
    id: str
    """empty while nothing has been saved"""
    user: str
    bk_user: str
    """the same as user"""

class UserDefaultCustom(TypedDict):
    host_query_column: list[str]
    """host query fields"""
    host_display_column: list[str]
    """host display fields"""
    biz_query_column: list[str]
    """business query fields"""
    biz_display_column: list[str]
    """business display fields"""
    bk_biz_id: int
    """business ID; 0 when there is none"""
    id: str
    """empty while nothing has been saved"""
    user: str
    bk_user: str
    """the same as user"""
    is_default: Literal[1]

class UserGroup(TypedDict):
    group_id: str
    group_name: str
    user_list: str
    bk_revision: NotRequired[int]
    """present if requested in `fields`: for the If-Match of a change"""

class UserPrivilegePrivilege(TypedDict):
    sys_config: SystemConfig
    model_config: ModelConfig

class UserPrivilege(TypedDict):
    bk_group_id: str
    """the first of the groups"""
    group_id: str
    """the same"""
    groups: list[str]
    bk_supplier_account: str
    sys_config: SystemConfig
    back_config: list[str]
    model_config: ModelConfig
    privilege: UserPrivilegePrivilege

class CreateBusinessBody(TypedDict):
    bk_biz_name: str
    """unique among the living businesses"""
    life_cycle: NotRequired[str | None]
    """1 testing, 2 online (default), 3 offline"""
    time_zone: NotRequired[str | None]
    """default Asia/Shanghai"""
    language: NotRequired[str | None]
    """1 Chinese (default), 2 English"""
    bk_biz_maintainer: NotRequired[str | None]
    """maintainers, a comma list of user names; defaults to the caller"""
    bk_biz_productor: NotRequired[str | None]
    """product managers"""
    bk_biz_tester: NotRequired[str | None]
    """testers"""
    bk_biz_developer: NotRequired[str | None]
    """developers"""
    operator: NotRequired[str | None]
    """operators"""

class UpdateBusinessBody(TypedDict):
    bk_biz_name: NotRequired[str | None]
    """unique among the living businesses"""
    life_cycle: NotRequired[str | None]
    """1 testing, 2 online (default), 3 offline"""
    time_zone: NotRequired[str | None]
    """default Asia/Shanghai"""
    language: NotRequired[str | None]
    """1 Chinese (default), 2 English"""
    bk_biz_maintainer: NotRequired[str | None]
    """maintainers, a comma list of user names; defaults to the caller"""
    bk_biz_productor: NotRequired[str | None]
    """product managers"""
    bk_biz_tester: NotRequired[str | None]
    """testers"""
    bk_biz_developer: NotRequired[str | None]
    """developers"""
    operator: NotRequired[str | None]
    """operators"""

class SearchBusinessCriteria(TypedDict):
    fields: NotRequired[list[str] | None]
    """fields to return; [] returns all, `*` means all fields beside others"""
    condition: NotRequired[Condition | None]

class SearchBusinessBody(SearchBusinessCriteria):
    page: NotRequired[PartialPage | None]

class SearchBusinessAnswer(TypedDict):
    count: int
    """how many match, before paging"""
    info: list[BusinessSelection]

class SearchResourcePoolCriteria(TypedDict):
    fields: NotRequired[list[str] | None]
    """fields to return; [] returns all, `*` means all fields beside others"""
    condition: NotRequired[Condition | None]

class SearchResourcePoolBody(SearchResourcePoolCriteria):
    page: NotRequired[PartialPage | None]

class SearchResourcePoolAnswer(TypedDict):
    count: int
    """how many match, before paging"""
    info: list[BusinessSelection]

class CreateMainlineObjectBody(TypedDict):
    bk_classification_id: str
    """an existing one, or a new valid identifier"""
    bk_obj_id: str
    """unique, ignoring case"""
    bk_obj_name: str
    """at most 20 characters"""
    bk_asst_obj_id: str
    """the object above: biz or a user-defined level"""
    bk_supplier_account: NotRequired[str | None]
    bk_obj_icon: NotRequired[str | None]

class CreateMainlineObjectAnswer1(TypedDict):
    creates: int
    """how many instances of the level would be created, one per instance above it"""
    moves_count: int
    """how many instances would move below them"""

class GetInternalTopoAnswerModule(TypedDict):
    bk_module_id: int
    bk_module_name: str

class GetInternalTopoAnswer(TypedDict):
    bk_set_id: int
    bk_set_name: str
    module: list[GetInternalTopoAnswerModule]

class SearchMainlineNodeCriteria(TypedDict):
    name: NotRequired[str | None]
    """a part of the name; ASCII letters match case-insensitively"""
    without_hosts: NotRequired[bool | None]
    """true: only modules without hosts"""

class SearchMainlineNodeBodyPage(TypedDict):
    start: NotRequired[int | None]
    """record offset"""
    limit: NotRequired[int | None]
    """page size"""

class SearchMainlineNodeBody(SearchMainlineNodeCriteria):
    page: NotRequired[SearchMainlineNodeBodyPage | None]

class SearchMainlineNodeAnswerInfo(TypedDict):
    bk_obj_id: NotRequired[str]
    bk_obj_name: NotRequired[str]
    bk_inst_id: NotRequired[int]
    bk_inst_name: NotRequired[str]
    bk_parent_name: NotRequired[str]
    """name of its parent"""
    bk_biz_id: NotRequired[int]
    bk_biz_name: NotRequired[str]

class SearchMainlineNodeAnswer(TypedDict):
    count: int
    """how many match, before paging"""
    info: list[SearchMainlineNodeAnswerInfo]

class CreateSetBody(TypedDict):
    bk_parent_id: Id | str
    bk_biz_id: Id | str
    bk_supplier_account: Account
    bk_set_name: str
    """set name"""
    bk_capacity: NotRequired[int | None]
    """design capacity"""
    description: NotRequired[str | None]
    """remark"""
    bk_service_status: NotRequired[str | None]
    """1 open (default), 2 close"""
    bk_set_env: NotRequired[str | None]
    """1 test, 2 experience, 3 formal (default)"""
    bk_set_desc: NotRequired[str | None]
    """set description"""

class BatchDeleteSetBodyDelete(TypedDict):
    inst_ids: list[Id]

class BatchDeleteSetBody(TypedDict):
    delete: BatchDeleteSetBodyDelete

class UpdateSetBody(TypedDict):
    bk_biz_id: Id | str
    bk_set_name: NotRequired[str | None]
    """set name"""
    bk_capacity: NotRequired[int | None]
    """design capacity"""
    description: NotRequired[str | None]
    """remark"""
    bk_service_status: NotRequired[str | None]
    """1 open (default), 2 close"""
    bk_set_env: NotRequired[str | None]
    """1 test, 2 experience, 3 formal (default)"""
    bk_set_desc: NotRequired[str | None]
    """set description"""

class SearchSetCriteria(TypedDict):
    fields: list[str]
    """fields to return; [] returns all, `*` means all fields beside others"""
    condition: Condition

class SearchSetBody(SearchSetCriteria):
    page: Page

class SearchSetAnswer(TypedDict):
    count: int
    """how many match, before paging"""
    info: list[SetSelection]

class CreateModuleBody(TypedDict):
    bk_module_name: str
    """module name, unique in the set"""
    bk_module_type: NotRequired[str | None]
    """1 normal (default), 2 database"""
    operator: NotRequired[str | None]
    """maintainers, a comma list of user names"""
    bk_bak_operator: NotRequired[str | None]
    """their deputies, a comma list of user names"""

class UpdateModuleBody(TypedDict):
    bk_module_name: NotRequired[str | None]
    """module name"""
    bk_module_type: NotRequired[str | None]
    """1 normal (default), 2 database"""
    operator: NotRequired[str | None]
    """maintainers, a comma list of user names"""
    bk_bak_operator: NotRequired[str | None]
    """their deputies, a comma list of user names"""

class SearchModuleCriteria(TypedDict):
    fields: NotRequired[list[str] | None]
    """fields to return; [] returns all, `*` means all fields beside others"""
    condition: NotRequired[Condition | None]

class SearchModuleBody(SearchModuleCriteria):
    page: NotRequired[PartialPage | None]

class SearchModuleAnswer(TypedDict):
    count: int
    """how many match, before paging"""
    info: list[ModuleSelection]

class CreateInstBody(TypedDict):
    bk_inst_name: NotRequired[str | None]
    """unique under its parent; outside the main line, in the account"""
    bk_cloud_name: NotRequired[str | None]
    """the name of a cloud area, the object plat, in place of bk_inst_name"""
    bk_biz_id: NotRequired[int | None]
    """the business; needed on the main line, ignored elsewhere"""
    bk_parent_id: NotRequired[int | None]
    """the instance above; needed on the main line, ignored elsewhere"""

class BatchDeleteInstBodyDelete(TypedDict):
    inst_ids: list[Id]

class BatchDeleteInstBody(TypedDict):
    delete: BatchDeleteInstBodyDelete

class UpdateInstBody(TypedDict):
    bk_inst_name: NotRequired[str | None]
    """instance name"""

class SearchInstCriteria(TypedDict):
    fields: NotRequired[list[str] | None]
    """fields to return; [] returns all, `*` means all fields beside others"""
    condition: NotRequired[Condition | None]

class SearchInstBody(SearchInstCriteria):
    page: NotRequired[PartialPage | None]

class SearchInstAnswer(TypedDict):
    count: int
    """how many match, before paging"""
    info: list[InstanceSelection]

class SearchAssociationKindCriteria(TypedDict):
    condition: NotRequired[Condition | None]

class SearchAssociationKindBodyPage(TypedDict):
    start: NotRequired[int | None]
    """record offset"""
    limit: NotRequired[int | None]
    """page size"""

class SearchAssociationKindBody(SearchAssociationKindCriteria):
    page: NotRequired[SearchAssociationKindBodyPage | None]

class SearchAssociationKindAnswerInfo(TypedDict):
    id: NotRequired[int]
    bk_asst_id: NotRequired[str]
    bk_asst_name: NotRequired[str]
    bk_supplier_account: NotRequired[str]
    src_des: NotRequired[str]
    """how the source is related to the target"""
    dest_des: NotRequired[str]
    """how the target is related to the source"""
    direction: NotRequired[Literal["none", "src_to_dest", "dest_to_src", "bidirectional"]]
    """how it is drawn"""
    ispre: NotRequired[bool]
    """built in: can be neither changed nor deleted"""

class SearchAssociationKindAnswer(TypedDict):
    count: int
    """how many match, before paging"""
    info: list[SearchAssociationKindAnswerInfo]

class CreateAssociationKindBody(TypedDict):
    bk_asst_id: str
    """letters, digits and _, a letter first; unique, ignoring case"""
    bk_asst_name: NotRequired[str | None]
    """at most 256 bytes"""
    src_des: NotRequired[str | None]
    """at most 256 bytes"""
    dest_des: NotRequired[str | None]
    """at most 256 bytes"""
    direction: NotRequired[Literal["none", "src_to_dest", "dest_to_src", "bidirectional"] | None]

class CreateAssociationKindAnswer(TypedDict):
    id: int
    bk_asst_id: str
    bk_asst_name: str
    bk_supplier_account: str
    src_des: str
    """how the source is related to the target"""
    dest_des: str
    """how the target is related to the source"""
    direction: Literal["none", "src_to_dest", "dest_to_src", "bidirectional"]
    """how it is drawn"""
    ispre: bool
    """built in: can be neither changed nor deleted"""

class UpdateAssociationKindBody(TypedDict):
    bk_asst_name: NotRequired[str | None]
    """at most 256 bytes"""
    src_des: NotRequired[str | None]
    """at most 256 bytes"""
    dest_des: NotRequired[str | None]
    """at most 256 bytes"""
    direction: NotRequired[Literal["none", "src_to_dest", "dest_to_src", "bidirectional"] | None]

class SearchObjectAssociationByKindBody(TypedDict):
    asst_ids: list[str]
    """association kinds"""

class SearchObjectAssociationByKindAnswerAssociationsAssts(TypedDict):
    id: int
    """negative for associations of the main line, which follow from the levels"""
    bk_supplier_account: str
    bk_obj_asst_id: str
    bk_obj_asst_name: str
    bk_obj_id: str
    """the source"""
    bk_asst_obj_id: str
    """the target"""
    bk_asst_id: str
    """the association kind"""
    mapping: Literal["1:1", "1:n", "n:n"]
    """how many targets a source, and how many sources a target may have"""
    on_delete: Literal["none", "delete_src", "delete_dest"]
    """none: neither end can be deleted while associated; delete_src, delete_dest: the named end is deleted with the other one, and may itself be deleted at any time"""
    ispre: bool
    """built in: can be neither changed nor deleted"""

class SearchObjectAssociationByKindAnswerAssociations(TypedDict):
    bk_asst_id: str
    assts: list[SearchObjectAssociationByKindAnswerAssociationsAssts]

class SearchObjectAssociationByKindAnswer(TypedDict):
    associations: list[SearchObjectAssociationByKindAnswerAssociations]

class CreateObjectAssociationBody(TypedDict):
    bk_obj_asst_id: NotRequired[str | None]
    """unique; default: source, kind and target, joined by _"""
    bk_obj_asst_name: NotRequired[str | None]
    """at most 256 bytes"""
    bk_obj_id: str
    """the source"""
    bk_asst_obj_id: str
    """the target"""
    bk_asst_id: str
    """the association kind"""
    mapping: NotRequired[Literal["1:1", "1:n", "n:n"] | None]
    on_delete: NotRequired[Literal["none", "delete_src", "delete_dest"] | None]

class CreateObjectAssociationAnswer(TypedDict):
    id: int
    """negative for associations of the main line, which follow from the levels"""
    bk_supplier_account: str
    bk_obj_asst_id: str
    bk_obj_asst_name: str
    bk_obj_id: str
    """the source"""
    bk_asst_obj_id: str
    """the target"""
    bk_asst_id: str
    """the association kind"""
    mapping: Literal["1:1", "1:n", "n:n"]
    """how many targets a source, and how many sources a target may have"""
    on_delete: Literal["none", "delete_src", "delete_dest"]
    """none: neither end can be deleted while associated; delete_src, delete_dest: the named end is deleted with the other one, and may itself be deleted at any time"""
    ispre: bool
    """built in: can be neither changed nor deleted"""

class SearchObjectAssociationBody(TypedDict):
    condition: NotRequired[Condition | None]

class SearchObjectAssociationAnswer(TypedDict):
    id: int
    """negative for associations of the main line, which follow from the levels"""
    bk_supplier_account: str
    bk_obj_asst_id: str
    bk_obj_asst_name: str
    bk_obj_id: str
    """the source"""
    bk_asst_obj_id: str
    """the target"""
    bk_asst_id: str
    """the association kind"""
    mapping: Literal["1:1", "1:n", "n:n"]
    """how many targets a source, and how many sources a target may have"""
    on_delete: Literal["none", "delete_src", "delete_dest"]
    """none: neither end can be deleted while associated; delete_src, delete_dest: the named end is deleted with the other one, and may itself be deleted at any time"""
    ispre: bool
    """built in: can be neither changed nor deleted"""

class UpdateObjectAssociationBody(TypedDict):
    bk_obj_asst_name: NotRequired[str | None]
    """at most 256 bytes"""
    bk_asst_id: NotRequired[str | None]
    """the association kind"""
    on_delete: NotRequired[Literal["none", "delete_src", "delete_dest"] | None]

class CreateInstanceAssociationBody(TypedDict):
    bk_obj_asst_id: str
    """the association of the objects"""
    bk_inst_id: int | str
    bk_asst_inst_id: int | str

class CreateInstanceAssociationAnswer(TypedDict):
    id: int
    bk_supplier_account: str
    bk_obj_asst_id: str
    """the association of the objects"""
    bk_asst_id: str
    """the association kind"""
    bk_obj_id: str
    bk_inst_id: int
    """the source"""
    bk_asst_obj_id: str
    bk_asst_inst_id: int
    """the target"""

class SearchInstanceAssociationBodyPage(TypedDict):
    """without a limit all of them, if these are at most 2000"""
    start: NotRequired[int | None]
    """record offset"""
    limit: NotRequired[int | None]
    """page size"""

class SearchInstanceAssociationBody(TypedDict):
    condition: NotRequired[Condition | None]
    page: NotRequired[SearchInstanceAssociationBodyPage | None]
    """without a limit all of them, if these are at most 2000"""

class SearchInstanceAssociationAnswer(TypedDict):
    id: int
    bk_supplier_account: str
    bk_obj_asst_id: str
    """the association of the objects"""
    bk_asst_id: str
    """the association kind"""
    bk_obj_id: str
    bk_inst_id: int
    """the source"""
    bk_asst_obj_id: str
    bk_asst_inst_id: int
    """the target"""

class SearchRelatedInstanceAssociationBodyCondition(TypedDict):
    bk_obj_id: str
    bk_inst_id: Id | str

class SearchRelatedInstanceAssociationBodyPage(TypedDict):
    """without a limit all of them, if these are at most 2000"""
    start: NotRequired[int | None]
    """record offset"""
    limit: NotRequired[int | None]
    """page size"""

class SearchRelatedInstanceAssociationBody(TypedDict):
    condition: SearchRelatedInstanceAssociationBodyCondition
    page: NotRequired[SearchRelatedInstanceAssociationBodyPage | None]
    """without a limit all of them, if these are at most 2000"""

class SearchRelatedInstanceAssociationAnswer(TypedDict):
    id: int
    bk_supplier_account: str
    bk_obj_asst_id: str
    """the association of the objects"""
    bk_asst_id: str
    """the association kind"""
    bk_obj_id: str
    bk_inst_id: int
    """the source"""
    bk_asst_obj_id: str
    bk_asst_inst_id: int
    """the target"""

class SearchInstByAssociationCriteriaConditionValue(TypedDict):
    field: str
    operator: str
    value: JsonValue

class SearchInstByAssociationCriteria(TypedDict):
    fields: NotRequired[dict[str, list[str]] | None]
    """by bk_obj_id; those of the object itself are answered"""
    condition: NotRequired[dict[str, list[SearchInstByAssociationCriteriaConditionValue]] | None]
    """by bk_obj_id; for another object, of at most 10, the instance is associated with one that meets them"""

class SearchInstByAssociationBody(SearchInstByAssociationCriteria):
    page: NotRequired[PartialPage | None]

class SearchInstByAssociationAnswer(TypedDict):
    count: int
    """how many match, before paging"""
    info: list[InstanceSelection]

class SearchInstAssociationTopoAnswerCurr(TypedDict):
    bk_obj_id: str
    bk_inst_id: int
    bk_inst_name: str
    """of a host its inner addresses"""
    id: str
    """bk_inst_id as text"""
    bk_obj_name: str
    bk_obj_icon: str
    asso_id: int
    """the association of the instances; 0 in a group"""

class SearchInstAssociationTopoAnswerPrevChildren(TypedDict):
    bk_obj_id: str
    bk_inst_id: int
    bk_inst_name: str
    """of a host its inner addresses"""
    id: str
    """bk_inst_id as text"""
    bk_obj_name: str
    bk_obj_icon: str
    asso_id: int
    """the association of the instances; 0 in a group"""

class SearchInstAssociationTopoAnswerPrev(TypedDict):
    bk_obj_id: str
    bk_inst_id: int
    bk_inst_name: str
    """of a host its inner addresses"""
    id: str
    """bk_inst_id as text"""
    bk_obj_name: str
    bk_obj_icon: str
    asso_id: int
    """the association of the instances; 0 in a group"""
    count: int
    """how many there are, listed or not"""
    children: list[SearchInstAssociationTopoAnswerPrevChildren]

class SearchInstAssociationTopoAnswerNextChildren(TypedDict):
    bk_obj_id: str
    bk_inst_id: int
    bk_inst_name: str
    """of a host its inner addresses"""
    id: str
    """bk_inst_id as text"""
    bk_obj_name: str
    bk_obj_icon: str
    asso_id: int
    """the association of the instances; 0 in a group"""

class SearchInstAssociationTopoAnswerNext(TypedDict):
    bk_obj_id: str
    bk_inst_id: int
    bk_inst_name: str
    """of a host its inner addresses"""
    id: str
    """bk_inst_id as text"""
    bk_obj_name: str
    bk_obj_icon: str
    asso_id: int
    """the association of the instances; 0 in a group"""
    count: int
    """how many there are, listed or not"""
    children: list[SearchInstAssociationTopoAnswerNextChildren]

class SearchInstAssociationTopoAnswer(TypedDict):
    curr: SearchInstAssociationTopoAnswerCurr
    prev: list[SearchInstAssociationTopoAnswerPrev]
    next: list[SearchInstAssociationTopoAnswerNext]

class GetImpactAnswerStart(TypedDict):
    bk_obj_id: str
    bk_inst_id: int
    bk_inst_name: str
    """of a host its inner addresses"""

class GetImpactAnswerInfoPath(TypedDict):
    bk_obj_id: str
    bk_inst_id: int
    bk_inst_name: str
    """of a host its inner addresses"""
    through: str
    """bk_mainline, placement, or the bk_obj_asst_id of an association"""

class GetImpactAnswerInfo(TypedDict):
    bk_obj_id: str
    bk_inst_id: int
    bk_inst_name: str
    """of a host its inner addresses"""
    bk_biz_id: int
    """0 outside any business"""
    direction: Literal["up", "down"]
    depth: int
    path: list[GetImpactAnswerInfoPath]
    """the steps that lead to it, itself the last"""

class GetImpactAnswer(TypedDict):
    start: GetImpactAnswerStart
    count: int
    """how many are answered"""
    truncated: bool
    """there are more than `limit`"""
    info: list[GetImpactAnswerInfo]

class SearchHostFavoriteCriteria(TypedDict):
    condition: NotRequired[Condition | None]
    sort: NotRequired[str | None]
    """field, -field for descending, or a comma list"""

class SearchHostFavoriteBody(SearchHostFavoriteCriteria):
    start: NotRequired[int | None]
    """record offset"""
    limit: NotRequired[int | None]
    """page size"""

class SearchHostFavoriteAnswer(TypedDict):
    count: int
    """how many match, before paging"""
    info: list[HostFavoriteSelection]

class CreateHostFavoriteBody(TypedDict):
    name: str
    """unique among the favourites of the caller"""
    info: NotRequired[str | None]
    """search terms, as stored by the console"""
    query_params: NotRequired[str | None]
    """search parameters, as stored by the console"""
    is_default: NotRequired[int | None]
    """1 or 2; default 2"""

class UpdateHostFavoriteBody(TypedDict):
    name: NotRequired[str | None]
    """unique among the favourites of the caller"""
    info: NotRequired[str | None]
    """search terms, as stored by the console"""
    query_params: NotRequired[str | None]
    """search parameters, as stored by the console"""
    is_default: NotRequired[int | None]
    """1 or 2; default 2"""

class IncreaseHostFavoriteAnswer(TypedDict):
    id: str
    count: int

class CreateHostHistoryBody(TypedDict):
    content: str
    """the search, as stored by the console"""

class SearchHostHistoryAnswer(TypedDict):
    count: int
    """how many match, before paging"""
    info: list[HostHistorySelection]

class AddHostBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_biz_id: NotRequired[Id | str | Literal[0] | None]
    host_info: dict[str, HostAttributes]
    """row number to the attributes of a host, at most 5000 rows"""

class SyncNewHostBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_biz_id: Id | str
    bk_module_id: list[Id | str]
    host_info: dict[str, HostAttributes]
    """row number to the attributes of a host, at most 5000 rows"""

class UpdateHostBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_host_id: str | Id | list[Id | str]
    """bk_host_id of the hosts: "1,2,3", one number, or an array"""
    bk_host_innerip: NotRequired[str | None]
    """IPv4 or IPv6, or a comma list of them; required for a new host"""
    bk_cloud_id: NotRequired[int | None]
    """cloud area, default 0"""
    bk_host_name: NotRequired[str | None]
    """host name"""
    bk_os_type: NotRequired[str | None]
    """1 Linux, 2 Windows, 3 AIX"""
    operator: NotRequired[str | None]
    """maintainers, a comma list of user names"""

class DeleteHostBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_host_id: str | Id | list[Id | str]
    """bk_host_id of the hosts: "1,2,3", one number, or an array"""

class GetHostDetailAnswer(TypedDict):
    bk_property_id: str
    bk_property_name: str
    bk_property_value: AttributeValue

class SearchHostCriteriaIp(TypedDict):
    data: NotRequired[list[str] | None]
    exact: NotRequired[Literal[0] | Literal[1] | None]
    """1 whole addresses, 0 substrings"""
    flag: NotRequired[str | None]
    """bk_host_innerip, bk_host_outerip, or both separated by |"""

class SearchHostCriteria(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_biz_id: NotRequired[int | str | None]
    """only hosts of this business; absent, 0 or -1: of all businesses"""
    ip: NotRequired[SearchHostCriteriaIp | None]
    condition: NotRequired[HostFilter | None]

class SearchHostBodyPage(TypedDict):
    start: NotRequired[int | None]
    """record offset"""
    limit: NotRequired[int | None]
    """page size"""
    sort: NotRequired[str | None]
    """field, -field for descending, or a comma list"""
    after: NotRequired[int | None]
    """instead of start: hosts after this bk_host_id, so that no host is missed while others move"""

class SearchHostBody(SearchHostCriteria):
    page: NotRequired[SearchHostBodyPage | None]

class SearchHostAnswerInfo(TypedDict):
    host: HostSelection
    biz: list[Attributes]
    set: list[Attributes]
    module: list[Attributes]
    """each with TopModuleName, "business##set##module"; with bk_path among its fields also the names from below the business to the module, levels included: "level##set##module" """

class SearchHostAnswer(TypedDict):
    count: int
    info: list[SearchHostAnswerInfo]

class TransferHostModuleBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_biz_id: Id | str
    bk_host_id: list[Id | str]
    """bk_host_id of the hosts"""
    bk_module_id: list[Id | str]
    is_increment: NotRequired[bool | None]
    """true keeps the modules the hosts are in already"""

class TransferHostToIdlemoduleBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_biz_id: Id | str
    bk_host_id: list[Id | str]
    """bk_host_id of the hosts"""

class TransferHostToFaultmoduleBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_biz_id: Id | str
    bk_host_id: list[Id | str]
    """bk_host_id of the hosts"""

class TransferHostToResourcemoduleBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_biz_id: Id | str
    bk_host_id: list[Id | str]
    """bk_host_id of the hosts"""

class TransferResourcehostToIdlemoduleBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_biz_id: Id | str
    bk_host_id: list[Id | str]
    """bk_host_id of the hosts"""

class TransferSethostToIdleModuleBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_biz_id: Id | str
    bk_set_id: NotRequired[Id | str | Literal[0] | None]
    bk_module_id: NotRequired[Id | str | Literal[0] | None]

class CreateCustomQueryBody(TypedDict):
    bk_biz_id: int | str
    name: str
    info: str
    """JSON as text: `condition` is a list with `bk_obj_id` (biz, set, module, host, object for levels, or an object that hosts are associated with), `fields` to show, and `condition` of field, operator and value"""

class CreateCustomQueryAnswer(TypedDict):
    id: str

class UpdateCustomQueryBody(TypedDict):
    name: NotRequired[str | None]
    info: NotRequired[str | None]

class SearchCustomQueryCriteria(TypedDict):
    condition: NotRequired[Condition | None]
    sort: NotRequired[str | None]
    """field, -field for descending, or a comma list"""
    fields: NotRequired[list[str] | None]
    """`bk_revision` adds the revision; all other fields are always returned"""

class SearchCustomQueryBody(SearchCustomQueryCriteria):
    start: NotRequired[int | None]
    """record offset"""
    limit: NotRequired[int | None]
    """page size"""

class SearchCustomQueryAnswer(TypedDict):
    count: int
    info: list[CustomQuery]

class FindCustomQueryCriteria(TypedDict):
    name: NotRequired[str | None]
    """a part of the name; ASCII letters match case-insensitively"""

class FindCustomQueryBodyPage(TypedDict):
    start: NotRequired[int | None]
    """record offset"""
    limit: NotRequired[int | None]
    """page size"""

class FindCustomQueryBody(FindCustomQueryCriteria):
    page: NotRequired[FindCustomQueryBodyPage | None]

class FindCustomQueryAnswerInfo(TypedDict):
    id: NotRequired[str]
    name: NotRequired[str]
    bk_biz_id: NotRequired[int]
    bk_biz_name: NotRequired[str]

class FindCustomQueryAnswer(TypedDict):
    count: int
    """how many match, before paging"""
    info: list[FindCustomQueryAnswerInfo]

class GetCustomQueryDetailAnswer(CustomQuery):
    biz_id: int
    creat_time: str

class PreviewCustomQueryCriteria(TypedDict):
    info: str | JsonObject

class PreviewCustomQueryBody(PreviewCustomQueryCriteria):
    start: NotRequired[int | None]
    """record offset"""
    limit: NotRequired[int | None]
    """page size"""

class GetPrometheusTargetsAnswer(TypedDict):
    targets: list[str]
    """the first inner address and the port"""
    labels: dict[str, str]
    """__meta_mainline_...; empty values are omitted"""

GetAnsibleInventoryAnswerMetaHostvarsValueValue1 = TypedDict(
    "GetAnsibleInventoryAnswerMetaHostvarsValueValue1",
    {
        "__ansible_unsafe": "str",
    },
)

class GetAnsibleInventoryAnswerMeta(TypedDict):
    hostvars: dict[str, dict[str, AttributeValue | GetAnsibleInventoryAnswerMetaHostvarsValueValue1]]

GetAnsibleInventoryAnswer = TypedDict(
    "GetAnsibleInventoryAnswer",
    {
        "_meta": "GetAnsibleInventoryAnswerMeta",
    },
)

class CreateUserGroupBody(TypedDict):
    group_name: str
    """unique in the account; at most 256 bytes"""
    user_list: str
    """user names separated by ;"""

class SearchUserGroupBody(TypedDict):
    group_name: NotRequired[str | None]
    user_list: NotRequired[str | None]
    fields: NotRequired[list[str] | None]
    """`bk_revision` adds the revision; all other fields are always returned"""

class UpdateUserGroupBody(TypedDict):
    group_name: NotRequired[str | None]
    """unique in the account; at most 256 bytes"""
    user_list: NotRequired[str | None]
    """user names separated by ;"""

class UpdateGroupPrivilegeBodySysConfig(TypedDict):
    global_busi: NotRequired[list[str] | None]
    """resource"""
    back_config: NotRequired[list[str] | JsonObject | None]
    """event, model, audit: as a list, or as the keys of an object"""

class UpdateGroupPrivilegeBody(TypedDict):
    sys_config: NotRequired[UpdateGroupPrivilegeBodySysConfig | None]
    back_config: NotRequired[list[str] | JsonObject | None]
    """event, model, audit: as a list, or as the keys of an object"""
    model_config: NotRequired[dict[str, dict[str, list[str] | None] | None] | None]
    """classification -> object -> create, update, delete, search"""

class ExplainPrivilegeAnswerThrough(TypedDict):
    by: Literal["role", "group", "rule"]
    reason: str
    bk_biz_id: NotRequired[int]
    roles: NotRequired[list[str]]
    privileges: NotRequired[list[str]]
    groups: NotRequired[list[str]]
    group_id: NotRequired[str]
    group_name: NotRequired[str]
    rule: NotRequired[str]

class ExplainPrivilegeAnswerMissing(TypedDict):
    reason: str
    bk_biz_id: NotRequired[int]
    privileges: NotRequired[list[str]]
    entry: NotRequired[str]
    """what groups grant: resource, event, model or audit"""
    holders: NotRequired[list[str]]
    """users and @groups that hold these privileges in the business"""

class ExplainPrivilegeAnswer(TypedDict):
    user_name: str
    operation: str
    allowed: bool
    reason: str
    """in a sentence"""
    through: list[ExplainPrivilegeAnswerThrough]
    missing: list[ExplainPrivilegeAnswerMissing]

class SaveUserCustomBodyConsole(TypedDict):
    """how the console shows itself, such as language and time zone"""

class SaveUserCustomBody(TypedDict):
    host_query_column: NotRequired[list[str] | None]
    """host query fields"""
    host_display_column: NotRequired[list[str] | None]
    """host display fields"""
    biz_query_column: NotRequired[list[str] | None]
    """business query fields"""
    biz_display_column: NotRequired[list[str] | None]
    """business display fields"""
    bk_biz_id: NotRequired[int | None]
    """business ID; 0 when there is none"""
    console: NotRequired[SaveUserCustomBodyConsole | None]
    """how the console shows itself, such as language and time zone"""

class GetOperationLogCriteria(TypedDict):
    condition: NotRequired[Condition | None]
    sort: NotRequired[str | None]
    """field, -field for descending, or a comma list"""
    group_by: NotRequired[Literal["txn"] | None]

class GetOperationLogBody(GetOperationLogCriteria):
    start: NotRequired[int | None]
    """record offset"""
    limit: NotRequired[int | None]
    """page size"""

class GetOperationLogAnswerInfoContentHeader(TypedDict):
    bk_property_id: str
    bk_property_name: str

class GetOperationLogAnswerInfoContent(TypedDict):
    pre_data: JsonObject | None
    cur_data: JsonObject | None
    header: list[GetOperationLogAnswerInfoContentHeader]
    type: Literal["map"]

class GetOperationLogAnswerInfoCounts(TypedDict):
    bk_obj_id: str
    op_type: int
    records: int

class GetOperationLogAnswerInfoRecords(TypedDict):
    position: int | None
    bk_obj_id: str
    inst_id: int
    bk_biz_id: int
    name: str
    """of the instance; of a host its addresses"""
    op_type: int
    op_desc: str

class GetOperationLogAnswerInfo(TypedDict):
    bk_supplier_account: NotRequired[str]
    bk_biz_id: NotRequired[int]
    op_type: NotRequired[int]
    """1 add, 2 update, 3 delete, 100 host moved"""
    op_desc: NotRequired[str]
    op_target: NotRequired[str]
    bk_obj_id: NotRequired[str]
    operator: NotRequired[str]
    op_from: NotRequired[str]
    content: NotRequired[GetOperationLogAnswerInfoContent]
    ext_key: NotRequired[str]
    """the inner IP addresses for hosts"""
    ext_info: NotRequired[str]
    op_time: NotRequired[str]
    inst_id: NotRequired[int]
    request_id: NotRequired[str]
    txn_id: NotRequired[str]
    """the change: all records of one transaction have the same"""
    undoes: NotRequired[list[int]]
    """positions of the records that it undoes; usually none"""
    op_reason: NotRequired[str]
    """the X-Change-Reason of the change; empty when none was given"""
    revision: NotRequired[int]
    """of the instance after the change; 0 where instances have none"""
    position: NotRequired[int | None]
    """position in the log; null briefly after the change, until it is assigned"""
    summary: NotRequired[str]
    """with group_by: what the change did, as a sentence in the language of the caller"""
    counts: NotRequired[list[GetOperationLogAnswerInfoCounts]]
    """with group_by: the records of the change by object and operation"""
    record_count: NotRequired[int]
    """with group_by: how many records the change has"""
    records: NotRequired[list[GetOperationLogAnswerInfoRecords]]
    """with group_by: the first 5 of them; all are found by `txn_id`"""

class GetOperationLogAnswer(TypedDict):
    count: int
    """how many match, before paging"""
    info: list[GetOperationLogAnswerInfo]

class GetLogIntegrityAnswerFaults(TypedDict):
    fault: str
    """order: the preceding segment is missing; chain: its seal does not continue the preceding one; changed: its records do not match its seal; unsealed: its seal is missing; gap: records are missing; signature: its signature is invalid; unsigned: it is not signed, although earlier ones are"""
    segment: int
    """0 for records without a seal"""
    first_position: int
    last_position: int

class GetLogIntegrityAnswer(TypedDict):
    segments: int
    """sealed segments verified by this request"""
    records: int
    """records of the account in them"""
    unsealed: int
    """records of the account after the last seal"""
    removed: int
    """records of all accounts removed from them by retention; their seals are kept"""
    restores: int
    """how often the log in these segments was continued from a backup"""
    signed: int
    """how many of them have a valid signature of the key of this server"""
    witnessed: int | None
    """last segment whose seal the witness has; null when this server has no witness"""
    checked: int
    """everything up to this position has been verified"""
    position: int
    """last position of the log"""
    next: int | None
    faults: list[GetLogIntegrityAnswerFaults]

class GetAuditReceiptAnswerSeal(TypedDict):
    segment: int
    """counts from 1"""
    first_position: int
    last_position: int
    last_time: int
    """of its newest record, in milliseconds since 1970"""
    sealed_at: int
    """in milliseconds since 1970"""
    previous: str
    """`hash` of the segment before; empty in the first, SHA-256 in hex"""
    hash: str
    """over `previous` and all records of the segment, SHA-256 in hex"""
    root: str
    """root of the Merkle tree over the records of the segment, SHA-256 in hex"""
    floor: int
    """the oldest record that was kept when it was sealed"""
    retention_days: int
    """retention in days at that time; 0 keeps records indefinitely"""
    signed_since: int
    """the segment with which signing began; 0 in an unsigned seal"""
    key_id: str
    """which key has signed it; empty in an unsigned seal"""
    signature: str
    """Ed25519, in base64; empty in an unsigned seal"""

class GetAuditReceiptAnswer(TypedDict):
    position: int
    record: str
    """the sealed text: a JSON array and a line break"""
    path: list[str]
    """hashes from the leaf to the root of the Merkle tree, in hex (RFC 9162, section 2.1.3)"""
    seal: GetAuditReceiptAnswerSeal

class UndoChangeBody(TypedDict):
    txn_id: NotRequired[str | None]
    """a change, as in the audit log"""
    request_id: NotRequired[str | None]
    """all changes of a request"""
    positions: NotRequired[list[Id] | None]
    """single records"""
    on_conflict: NotRequired[Literal["refuse", "skip", "force"] | None]

class UndoChangeAnswerRecordsConflictsSince(TypedDict):
    """the newest change since; null if none is known"""
    position: int | None
    """of the record in the log"""
    operator: str
    op_time: str
    request_id: str
    op_reason: str

class UndoChangeAnswerRecordsConflicts(TypedDict):
    field: str
    """empty when it is about the instance as a whole"""
    now: Any
    """as it is stored: text, number, boolean, list of ids; null if unset"""
    set_to: Any
    """what the record made of it"""
    before: Any
    """what it was before the record"""
    why: str
    """what prevents it, and what to do"""
    forcible: bool
    """whether "on_conflict": "force" overwrites the later change"""
    since: UndoChangeAnswerRecordsConflictsSince | None
    """the newest change since; null if none is known"""

class UndoChangeAnswerRecords(TypedDict):
    position: int
    bk_obj_id: str
    bk_inst_id: int
    name: str
    op_type: int
    """of the record: 1 add, 2 update, 3 delete, 100 host moved"""
    op_desc: str
    outcome: Literal["undone", "already", "conflict"]
    conflicts: list[UndoChangeAnswerRecordsConflicts]

class UndoChangeAnswer(TypedDict):
    undone: int
    """records that are undone"""
    already: int
    """records whose effect is gone already"""
    conflict: int
    """records that are left as they are"""
    records: list[UndoChangeAnswerRecords]
    """newest first, as they are undone"""

class GetInstanceHistoryAnswerInfoChanges(TypedDict):
    bk_property_id: str
    bk_property_name: str
    """in the language of the caller"""
    before: Any
    """as it is stored: text, number, boolean, list of ids; null if unset"""
    after: Any
    """as it is stored: text, number, boolean, list of ids; null if unset"""

class GetInstanceHistoryAnswerInfoMovedLeft(TypedDict):
    bk_biz_id: int
    bk_biz_name: str
    bk_set_id: int
    bk_set_name: str
    bk_module_id: int
    bk_module_name: str

class GetInstanceHistoryAnswerInfoMovedEntered(TypedDict):
    bk_biz_id: int
    bk_biz_name: str
    bk_set_id: int
    bk_set_name: str
    bk_module_id: int
    bk_module_name: str

class GetInstanceHistoryAnswerInfoMoved(TypedDict):
    """of a host that was placed, moved or deleted; otherwise null"""
    left: list[GetInstanceHistoryAnswerInfoMovedLeft]
    """modules that the host left"""
    entered: list[GetInstanceHistoryAnswerInfoMovedEntered]
    """modules that the host entered"""

class GetInstanceHistoryAnswerInfo(TypedDict):
    position: int
    """of the record in the log"""
    operator: str
    op_time: str
    op_reason: str
    request_id: str
    txn_id: str
    """the change: all records of one transaction have the same"""
    op_type: int
    """1 add, 2 update, 3 delete, 100 host moved"""
    op_desc: str
    bk_biz_id: int
    bk_obj_id: str
    bk_inst_id: int
    name: str
    """of the instance"""
    revision: int
    """of the instance after the change; 0 where instances have none"""
    undoes: list[int]
    """positions of the records that it undoes"""
    changes: list[GetInstanceHistoryAnswerInfoChanges]
    """the fields that an update changed"""
    moved: GetInstanceHistoryAnswerInfoMoved | None
    """of a host that was placed, moved or deleted; otherwise null"""
    data: JsonObject | None
    """the whole record after the change; null after a deletion. For a move, where the host was after it."""

class GetInstanceHistoryAnswer(TypedDict):
    count: int
    """how many versions there are, before paging"""
    info: list[GetInstanceHistoryAnswerInfo]

class GetBlameAnswer(TypedDict):
    bk_property_id: str
    bk_property_name: str
    """in the language of the caller"""
    value: Any
    """as it is stored: text, number, boolean, list of ids; null if unset"""
    position: int | None
    """null if the record that set it was removed by retention; the following fields are then empty"""
    operator: str
    op_time: str
    op_reason: str
    request_id: str
    txn_id: str
    """the change: all records of one transaction have the same"""

GetDiffCriteria = TypedDict(
    "GetDiffCriteria",
    {
        "bk_biz_id": "NotRequired[Id | None]",
        "query_id": "NotRequired[str | None]",
        "bk_obj_id": "NotRequired[str | None]",
        "bk_inst_id": "NotRequired[Id | None]",
        "from": "str",
        "to": "NotRequired[str | None]",
    },
)

class GetDiffBodyPage(TypedDict):
    start: NotRequired[int | None]
    """record offset"""
    limit: NotRequired[int | None]
    """page size"""

class GetDiffBody(GetDiffCriteria):
    page: NotRequired[GetDiffBodyPage | None]

class GetDiffAnswerFrom(TypedDict):
    position: int
    """of the newest record then"""
    time: str

class GetDiffAnswerTo(TypedDict):
    position: int
    """of the newest record then"""
    time: str

class GetDiffAnswerCounts(TypedDict):
    created: int
    deleted: int
    changed: int
    moved: int

class GetDiffAnswerInfoFields(TypedDict):
    bk_property_id: str
    bk_property_name: str
    """in the language of the caller"""
    before: Any
    """as it is stored: text, number, boolean, list of ids; null if unset"""
    after: Any
    """as it is stored: text, number, boolean, list of ids; null if unset"""
    position: int
    """of the record in the log"""
    operator: str
    op_time: str
    op_reason: str
    request_id: str
    txn_id: str
    """the change: all records of one transaction have the same"""

class GetDiffAnswerInfoLeft(TypedDict):
    bk_biz_id: int
    bk_biz_name: str
    bk_set_id: int
    bk_set_name: str
    bk_module_id: int
    bk_module_name: str

class GetDiffAnswerInfoEntered(TypedDict):
    bk_biz_id: int
    bk_biz_name: str
    bk_set_id: int
    bk_set_name: str
    bk_module_id: int
    bk_module_name: str

class GetDiffAnswerInfo(TypedDict):
    change: Literal["created", "deleted", "changed", "moved"]
    """a host that was moved may also have changed fields. For a query, `created` has entered its result and `deleted` has left it."""
    bk_obj_id: str
    bk_inst_id: int
    name: str
    """at the later moment, or when it was deleted"""
    position: int | None
    """null for a host that is in the result of a query at one moment only, and has not changed itself but, for example, its set has; the following fields are then empty"""
    operator: str
    op_time: str
    op_reason: str
    request_id: str
    txn_id: str
    """the change: all records of one transaction have the same"""
    fields: list[GetDiffAnswerInfoFields]
    """fields that differ, each with the newest record that changed it"""
    left: list[GetDiffAnswerInfoLeft]
    """of a host: modules that it was in at the earlier moment only"""
    entered: list[GetDiffAnswerInfoEntered]
    """of a host: modules that it is in at the later moment only"""

GetDiffAnswer = TypedDict(
    "GetDiffAnswer",
    {
        "from": "GetDiffAnswerFrom",
        "to": "GetDiffAnswerTo",
        "counts": "GetDiffAnswerCounts",
        "count": "int",
        "info": "list[GetDiffAnswerInfo]",
    },
)

class PingSubscriptionBody(TypedDict):
    callback_url: str
    """URL that receives the events, http or https; http if it has no scheme"""
    data: NotRequired[str | float | bool | list[Any] | dict[str, Any] | None]
    """a text is sent as it is, anything else as its JSON; {} when left out"""

class PingSubscriptionAnswer(TypedDict):
    http_status: int
    response_body: str
    """the first 4 KiB; 64 KiB for administrators"""

class TestingConnectionBody(TypedDict):
    callback_url: str
    """URL that receives the events, http or https; http if it has no scheme"""

class SearchEventCatalogueAnswer(TypedDict):
    event_name: str
    """for subscription_form"""
    bk_resource: str
    """for watch and stream"""
    bk_obj_id: str
    bk_obj_name: str
    sample: JsonObject

class WatchResourceBody(TypedDict):
    bk_cursor: NotRequired[str | None]
    """of the last event seen; if given, bk_start_from is ignored"""
    bk_start_from: NotRequired[int | None]
    """Unix time in seconds; default now"""
    bk_event_types: NotRequired[list[Literal["create", "update", "delete"]] | None]
    """[] watches all"""
    bk_fields: NotRequired[list[str] | None]
    """fields to return; [] returns all, `*` means all fields beside others"""
    filter: NotRequired[dict[str, JsonValue] | None]
    """a condition over `before.<field>`, `after.<field>` and `changed`, the names of the fields that differ: {"changed": {"$in": ["bk_state_name"]}, "after.bk_os_type": 1}. Operators as in searches, except $regex; $or and $and at the top. {} and null mean no filter."""

class WatchResourceAnswerBkEvents(TypedDict):
    bk_cursor: str
    """cursor to resume after this event"""
    bk_resource: str
    bk_event_type: Literal["create", "update", "delete", ""]
    bk_detail: JsonObject | None
    """the record after the event; for a deletion, before it"""
    revision: NotRequired[int]
    """of the instance after the event; absent in an entry without an event"""
    position: NotRequired[int]
    """of the record in the log"""
    reason: NotRequired[str]
    """the X-Change-Reason of the change, where one was given"""

class WatchResourceAnswer(TypedDict):
    bk_watched: bool
    """false: no events, and the single entry contains only the cursor"""
    bk_events: list[WatchResourceAnswerBkEvents]

class StreamEventsAnswer(TypedDict):
    bk_cursor: str
    """cursor to resume after this event"""
    bk_resource: str
    bk_event_type: Literal["create", "update", "delete", ""]
    bk_detail: JsonObject | None
    """the record after the event; for a deletion, before it"""
    revision: NotRequired[int]
    """of the instance after the event; absent in an entry without an event"""
    position: NotRequired[int]
    """of the record in the log"""
    reason: NotRequired[str]
    """the X-Change-Reason of the change, where one was given"""

class TryEventsBody(TypedDict):
    subscription_form: str
    """event names separated by a comma: see the catalogue"""
    filter: NotRequired[dict[str, JsonValue] | None]
    """a condition over `before.<field>`, `after.<field>` and `changed`, the names of the fields that differ: {"changed": {"$in": ["bk_state_name"]}, "after.bk_os_type": 1}. Operators as in searches, except $regex; $or and $and at the top. {} and null mean no filter."""
    bk_biz_id: NotRequired[int | None]
    """the business of the subscription; 0 means all"""
    since: NotRequired[str | None]
    """default -7d; a time such as `2026-11-18T02:00:00+08:00` (without an offset in the configured zone), a day, a duration back such as `-2h` or `-7d`, or `position:<n>`"""

class TryEventsAnswer(TypedDict):
    matched: int
    """how many of them match the filter"""
    total: int
    """how many events the form names, in the business"""
    since: str
    """ISO 8601 with milliseconds and offset"""
    complete: bool
    """false: there were too many to read; `since` is how far back it got"""
    events: list[JsonObject]
    """the newest 20 that match, as a receiver would get them, without distribution_id and subscription_id"""

class SubscribeEventBodyBatch(TypedDict):
    """requests carry a JSON array of events, confirmed or rejected as a whole; a rejected one is sent again in halves, down to single events"""
    max: int
    """how many events one request may have, 2 to 500"""
    wait_ms: NotRequired[int | None]
    """how long an event waits for others, in milliseconds, 0 (default) to 10000"""

class SubscribeEventBody(TypedDict):
    subscription_name: str
    """unique in the account"""
    system_name: NotRequired[str | None]
    """name of the subscribing system"""
    callback_url: str
    """http or https address that receives the events"""
    confirm_mode: NotRequired[str | None]
    """httpstatus (default) or regular: how delivery success is judged"""
    confirm_pattern: NotRequired[str | int | None]
    """the expected HTTP status (default 200), or a regular expression of RE2"""
    subscription_form: str
    """event names separated by a comma: see the catalogue"""
    filter: NotRequired[dict[str, JsonValue] | None]
    """a condition over `before.<field>`, `after.<field>` and `changed`, the names of the fields that differ: {"changed": {"$in": ["bk_state_name"]}, "after.bk_os_type": 1}. Operators as in searches, except $regex; $or and $and at the top. {} and null mean no filter."""
    timeout: NotRequired[int | None]
    """timeout of a push in seconds, 1 to 300"""
    time_out: NotRequired[int | None]
    """timeout of a push in seconds, 1 to 300"""
    parallel: NotRequired[int | None]
    """how many requests may be in flight, 1 (default) to 32; never two with events about one instance. With more than 1, events about different instances arrive in any order"""
    format: NotRequired[str | None]
    """bk-cmdb (default), or cloudevents: CloudEvents 1.0 in structured JSON, with the webhook-id as id, object/id as subject and the body of bk-cmdb as data"""
    batch: NotRequired[SubscribeEventBodyBatch | None]
    """requests carry a JSON array of events, confirmed or rejected as a whole; a rejected one is sent again in halves, down to single events"""
    secret: NotRequired[str | None]
    """whsec_ and 24 to 64 bytes in base64, as Standard Webhooks has it"""

class SubscribeEventAnswer(TypedDict):
    subscription_id: int
    secret: str
    """whsec_ and 24 to 64 bytes in base64, as Standard Webhooks has it"""

class SearchSubscriptionBodyPage(TypedDict):
    start: NotRequired[int | None]
    """record offset"""
    limit: NotRequired[int | None]
    """absent returns all"""
    sort: NotRequired[str | None]
    """field, -field for descending, or a comma list"""

class SearchSubscriptionBody(TypedDict):
    page: NotRequired[SearchSubscriptionBodyPage | None]

class RotateSubscriptionSecretBody(TypedDict):
    secret: NotRequired[str | None]
    """whsec_ and 24 to 64 bytes in base64, as Standard Webhooks has it"""

class RotateSubscriptionSecretAnswer(TypedDict):
    secret: str
    """whsec_ and 24 to 64 bytes in base64, as Standard Webhooks has it"""

class ListInstanceAttemptsAnswer(DeliveryAttempt):
    subscription_id: int
    subscription_name: str
    bk_biz_id: int
    """the business of the subscription; 0 for all"""

class ReplaySubscriptionBody(TypedDict):
    dead_letters: NotRequired[bool | None]
    """true: all dead letters, or with positions those of that range"""
    from_position: NotRequired[Id | None]
    to_position: NotRequired[Id | None]
    from_time: NotRequired[str | None]
    """such as 2026-01-31 08:00:00"""
    to_time: NotRequired[str | None]
    """such as 2026-01-31 09:00:00, inclusive"""

class ReplaySubscriptionAnswer(TypedDict):
    dead_letters: int
    """how many of them are sent again"""
    from_position: int | None
    to_position: int | None

class DiscardSubscriptionDeadLettersBody(TypedDict):
    from_position: NotRequired[Id | None]
    to_position: NotRequired[Id | None]

class DiscardSubscriptionDeadLettersAnswer(TypedDict):
    dead_letters: int
    """how many of them are gone"""

class UpdateEventSubscribeBodyBatch(TypedDict):
    """requests carry a JSON array of events, confirmed or rejected as a whole; a rejected one is sent again in halves, down to single events"""
    max: int
    """how many events one request may have, 2 to 500"""
    wait_ms: NotRequired[int | None]
    """how long an event waits for others, in milliseconds, 0 (default) to 10000"""

class UpdateEventSubscribeBody(TypedDict):
    subscription_name: str
    """unique in the account"""
    system_name: NotRequired[str | None]
    """name of the subscribing system"""
    callback_url: str
    """http or https address that receives the events"""
    confirm_mode: NotRequired[str | None]
    """httpstatus (default) or regular: how delivery success is judged"""
    confirm_pattern: NotRequired[str | int | None]
    """the expected HTTP status (default 200), or a regular expression of RE2"""
    subscription_form: str
    """event names separated by a comma: see the catalogue"""
    filter: NotRequired[dict[str, JsonValue] | None]
    """a condition over `before.<field>`, `after.<field>` and `changed`, the names of the fields that differ: {"changed": {"$in": ["bk_state_name"]}, "after.bk_os_type": 1}. Operators as in searches, except $regex; $or and $and at the top. {} and null mean no filter."""
    timeout: NotRequired[int | None]
    """timeout of a push in seconds, 1 to 300"""
    time_out: NotRequired[int | None]
    """timeout of a push in seconds, 1 to 300"""
    parallel: NotRequired[int | None]
    """how many requests may be in flight, 1 (default) to 32; never two with events about one instance. With more than 1, events about different instances arrive in any order"""
    format: NotRequired[str | None]
    """bk-cmdb (default), or cloudevents: CloudEvents 1.0 in structured JSON, with the webhook-id as id, object/id as subject and the body of bk-cmdb as data"""
    batch: NotRequired[UpdateEventSubscribeBodyBatch | None]
    """requests carry a JSON array of events, confirmed or rejected as a whole; a rejected one is sent again in halves, down to single events"""

class CreateClassificationBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_classification_id: str
    """unique, ignoring case"""
    bk_classification_name: str
    """at most 256 bytes"""
    bk_classification_icon: NotRequired[str | None]

class UpdateClassificationBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_classification_id: NotRequired[str | None]
    """cannot be changed"""
    bk_classification_name: NotRequired[str | None]
    """at most 256 bytes"""
    bk_classification_icon: NotRequired[str | None]

class SearchClassificationsBody(TypedDict):
    """any fields of the record, each with a value or with operators"""
    bk_supplier_account: NotRequired[Account | None]
    bk_classification_id: NotRequired[str | None]
    """identifier"""
    bk_classification_name: NotRequired[str | None]
    """name"""

class SearchClassificationObjectsBody(TypedDict):
    """any fields of the record, each with a value or with operators"""
    bk_supplier_account: NotRequired[Account | None]
    bk_classification_id: NotRequired[str | None]
    """identifier"""
    bk_classification_name: NotRequired[str | None]
    """name"""

class SearchClassificationObjectsAnswer(TypedDict):
    id: int
    bk_classification_id: str
    bk_classification_name: str
    bk_classification_icon: str
    bk_classification_type: str
    """inner if built in, else empty"""
    bk_supplier_account: str
    bk_objects: list[ModelObject]

class CreateObjectBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_obj_id: str
    """unique, ignoring case"""
    bk_obj_name: str
    """at most 256 bytes"""
    bk_classification_id: str
    """an existing classification"""
    bk_obj_icon: NotRequired[str | None]

class UpdateObjectBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_obj_id: NotRequired[str | None]
    """cannot be changed"""
    bk_obj_name: NotRequired[str | None]
    """at most 256 bytes"""
    bk_obj_icon: NotRequired[str | None]
    bk_classification_id: NotRequired[str | None]
    bk_ispaused: NotRequired[bool | None]

class SearchObjectsBody(TypedDict):
    """any fields of the record, each with a value or with operators"""
    bk_supplier_account: NotRequired[Account | None]
    bk_obj_id: NotRequired[str | None]
    """identifier"""
    bk_obj_name: NotRequired[str | None]
    """name"""
    bk_classification_id: NotRequired[str | None]
    """its classification"""

class CreateObjectAttributeBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_obj_id: str
    bk_property_id: str
    """lowercase letters, digits and _; at most 64 characters"""
    bk_property_name: str
    """at most 256 bytes"""
    bk_property_type: str
    """singlechar, longchar, int, float, enum, date, time, objuser, timezone or bool"""
    option: NotRequired[str | float | bool | list[Any] | dict[str, Any] | None | None]
    """enum: [{id, name, type, is_default}]; int and float: {min, max}; singlechar and longchar: a pattern of RE2"""
    unit: NotRequired[str | None]
    placeholder: NotRequired[str | None]
    editable: NotRequired[bool | None]
    """default true"""
    isrequired: NotRequired[bool | None]
    """default false"""
    searchable: NotRequired[bool | None]
    """whether its values are indexed for searches; not for longchar; default false"""
    bk_property_group: NotRequired[str | None]
    """a group of the object; default "default" """

class UpdateObjectAttributeBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_obj_id: NotRequired[str | None]
    """cannot be changed"""
    bk_property_id: NotRequired[str | None]
    """cannot be changed"""
    bk_property_type: NotRequired[str | None]
    """cannot be changed"""
    bk_property_name: NotRequired[str | None]
    """at most 256 bytes"""
    option: NotRequired[str | float | bool | list[Any] | dict[str, Any] | None | None]
    """enum: [{id, name, type, is_default}]; int and float: {min, max}; singlechar and longchar: a pattern of RE2"""
    unit: NotRequired[str | None]
    placeholder: NotRequired[str | None]
    editable: NotRequired[bool | None]
    """default true"""
    isrequired: NotRequired[bool | None]
    """default false"""
    searchable: NotRequired[bool | None]
    """whether its values are indexed for searches; not for longchar; default false"""
    bk_property_group: NotRequired[str | None]
    """a group of the object; default "default" """

class SearchObjectAttributesBody(TypedDict):
    """any fields of the record, each with a value or with operators"""
    bk_supplier_account: NotRequired[Account | None]
    bk_obj_id: NotRequired[str | None]
    """the object, or {$in: [...]}"""
    bk_property_id: NotRequired[str | None]
    """identifier"""
    bk_property_name: NotRequired[str | None]
    """name"""
    bk_property_type: NotRequired[str | None]
    """type"""
    bk_property_group: NotRequired[str | None]
    """group"""

class CreateAttributeGroupBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_obj_id: str
    bk_group_id: str
    """letters; unique in the object, ignoring case"""
    bk_group_name: str
    """at most 256 bytes"""
    bk_group_index: NotRequired[int | None]

class UpdateAttributeGroupBodyCondition(TypedDict):
    id: Id | str

class UpdateAttributeGroupBodyData(TypedDict):
    bk_group_name: NotRequired[str | None]
    """at most 256 bytes"""
    bk_group_index: NotRequired[int | None]

class UpdateAttributeGroupBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    condition: UpdateAttributeGroupBodyCondition
    data: UpdateAttributeGroupBodyData

class MoveObjectAttributesBodyDataCondition(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    bk_obj_id: str
    bk_property_id: str

class MoveObjectAttributesBodyDataData(TypedDict):
    bk_property_group: NotRequired[str | None]
    """a group of the object"""
    bk_property_index: NotRequired[int | None]

class MoveObjectAttributesBodyData(TypedDict):
    condition: MoveObjectAttributesBodyDataCondition
    data: MoveObjectAttributesBodyDataData

class MoveObjectAttributesBody(TypedDict):
    bk_supplier_account: NotRequired[Account | None]
    data: list[MoveObjectAttributesBodyData]

class CreateObjectUniqueBodyKeys(TypedDict):
    key_kind: Literal["property"]
    key_id: int
    """the id of an attribute"""

class CreateObjectUniqueBody(TypedDict):
    keys: list[CreateObjectUniqueBodyKeys]
    must_check: NotRequired[bool | None]
    """also for instances where one of the values is empty"""

class CreateObjectUniqueAnswerKeys(TypedDict):
    key_kind: Literal["property"]
    key_id: int
    """the id of an attribute"""

class CreateObjectUniqueAnswer(TypedDict):
    id: int
    """negative if the rule is built in"""
    bk_obj_id: str
    must_check: bool
    """also for instances where one of the values is empty"""
    keys: list[CreateObjectUniqueAnswerKeys]
    ispre: bool
    """built in"""
    bk_supplier_account: str
    last_time: str
    """ISO 8601 with milliseconds and offset"""
    bk_unique_state: Literal["checking", "enforced", "refused"]
    """checking while existing instances are checked; refused if two of them have the same values"""
    bk_checked: int
    """how many existing instances have been checked so far"""
    bk_duplicates: str
    """the first duplicates of a refused rule"""

class UpdateObjectUniqueBodyKeys(TypedDict):
    key_kind: Literal["property"]
    key_id: int
    """the id of an attribute"""

class UpdateObjectUniqueBody(TypedDict):
    keys: NotRequired[list[UpdateObjectUniqueBodyKeys] | None]
    must_check: NotRequired[bool | None]
    """also for instances where one of the values is empty"""

class SearchObjectUniqueAnswerKeys(TypedDict):
    key_kind: Literal["property"]
    key_id: int
    """the id of an attribute"""

class SearchObjectUniqueAnswer(TypedDict):
    id: int
    """negative if the rule is built in"""
    bk_obj_id: str
    must_check: bool
    """also for instances where one of the values is empty"""
    keys: list[SearchObjectUniqueAnswerKeys]
    ispre: bool
    """built in"""
    bk_supplier_account: str
    last_time: str
    """ISO 8601 with milliseconds and offset"""
    bk_unique_state: Literal["checking", "enforced", "refused"]
    """checking while existing instances are checked; refused if two of them have the same values"""
    bk_checked: int
    """how many existing instances have been checked so far"""
    bk_duplicates: str
    """the first duplicates of a refused rule"""

class GetSessionAnswerSignIn(TypedDict):
    way: Literal["none", "token", "login"]
    """none: nothing to do here; token: send one as Authorization: Bearer; login: go to the url"""
    url: str

class GetSessionAnswer(TypedDict):
    auth: Literal["open", "token", "proxy", "oidc"]
    """how callers are authenticated"""
    user: str | None
    """null if the caller is not signed in"""
    bk_supplier_account: str | None
    """the account that is used when a request names none"""
    confined: bool
    """whether the caller is confined to its account"""
    administrator: bool
    read_only: bool
    """whether write operations are rejected"""
    language: str
    sign_in: GetSessionAnswerSignIn
