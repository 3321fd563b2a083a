import type { Allow } from '@mainline/contract'
import { endpoints } from '@mainline/contract/endpoints'
import { expect, it } from 'vitest'

/**
 * The privileges that each operation requires, written by hand from the specification. The other tests of privileges use the declarations; this one
 * checks the declarations.
 */
const needs: Record<string, string> = {
  administrator:
    'archive_business bind_role_privilege create_business create_user_group delete_business delete_user_group get_estate import_estate recover_business search_user_group update_group_privilege update_user_group',
  'association body': 'create_instance_association',
  'association path': 'delete_instance_association',
  auditedBusiness: 'get_audit_receipt get_blame get_diff get_instance_history get_operation_log undo_change',
  business: 'update_business',
  'group audit': 'get_log_integrity',
  'group event':
    'discard_subscription_dead_letters list_instance_attempts list_subscription_attempts list_subscription_dead_letters pause_subscription ping_subscription replay_subscription resume_subscription rotate_subscription_secret search_subscription stream_events subscribe_event testing_connection try_events unsubcribe_event update_event_subscribe watch_resource',
  'group model':
    'create_association_kind create_attribute_group create_classification create_mainline_object create_object create_object_association create_object_attribute create_object_unique delete_association_kind delete_attribute_group delete_classification delete_mainline_object delete_object delete_object_association delete_object_attribute delete_object_unique move_object_attributes remove_attribute_from_group update_association_kind update_attribute_group update_classification update_object update_object_association update_object_attribute update_object_unique',
  'group resource': 'delete_host transfer_resourcehost_to_idlemodule',
  'hosts hostupdate': 'update_host',
  'instances create': 'create_inst',
  'instances delete': 'batch_delete_inst delete_inst',
  'instances search': 'search_inst search_inst_by_association',
  'instances update': 'update_inst',
  'member group_id': 'search_group_privilege',
  nothing:
    'create_host_favorite create_host_history delete_host_favorite find_custom_query get_ansible_inventory get_business_host_count get_custom_query_data get_custom_query_detail get_host_detail get_host_file get_host_snapshot get_impact get_import_template get_inst_topo get_internal_topo get_prometheus_targets get_query_csv get_role_privilege get_session get_topo_host_count get_topology_file get_user_default_custom increase_host_favorite preview_custom_query save_user_custom search_association_kind search_attribute_groups search_business search_classification_objects search_classifications search_custom_query search_event_catalogue search_host search_host_favorite search_host_history search_inst_association_topo search_inst_topo search_instance_association search_mainline_node search_mainline_object search_module search_object_association search_object_association_by_kind search_object_attributes search_object_unique search_objects search_related_instance_association search_resource_pool search_set search_user_custom update_host_favorite',
  placing: 'add_host',
  'role customapi bk_biz_id body': 'create_custom_query',
  'role customapi bk_biz_id': 'delete_custom_query update_custom_query',
  'role hosttrans bk_biz_id body':
    'sync_new_host transfer_host_module transfer_host_to_faultmodule transfer_host_to_idlemodule transfer_host_to_resourcemodule transfer_sethost_to_idle_module',
  'role topoupdate bk_biz_id':
    'batch_delete_set create_module create_set delete_module delete_set import_topology update_module update_set',
  'self user_name': 'explain_privilege get_user_privilege',
  settling: 'import_hosts',
}

const spelled = (allow: Allow): string => Object.values(allow).join(' ')

it('every operation requires what the specification says', () => {
  const ruled = Object.entries(needs).flatMap(([need, names]) => names.split(' ').map((name) => [name, need]))
  const declared = endpoints.map(({ name, allow }) => [name, spelled(allow)])
  expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(ruled))
})
