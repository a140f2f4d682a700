package errcode

// This file owns the texts: a line for each code, from -1 up: its name as Kafka writes it, then, for the codes
// that a producer can meet, what it means in a few words.
const texts = `UNKNOWN_SERVER_ERROR the broker failed in a way it has no code for
NONE
OFFSET_OUT_OF_RANGE
CORRUPT_MESSAGE the batch reached the broker damaged
UNKNOWN_TOPIC_OR_PARTITION the broker does not host this partition, or the topic does not exist
INVALID_FETCH_SIZE
LEADER_NOT_AVAILABLE the partition has no leader at the moment
NOT_LEADER_OR_FOLLOWER the broker does not lead this partition any more
REQUEST_TIMED_OUT the time for the request ran out; the broker may have done it
BROKER_NOT_AVAILABLE the broker is not available
REPLICA_NOT_AVAILABLE the replica is not available on this broker
MESSAGE_TOO_LARGE the batch is larger than the topic's max.message.bytes
STALE_CONTROLLER_EPOCH
OFFSET_METADATA_TOO_LARGE the metadata stored with an offset is longer than the broker allows
NETWORK_EXCEPTION the connection ended before the response came
COORDINATOR_LOAD_IN_PROGRESS the coordinator is still loading its state
COORDINATOR_NOT_AVAILABLE the coordinator is not available at the moment
NOT_COORDINATOR the broker is not the coordinator any more
INVALID_TOPIC_EXCEPTION the topic name is not valid, or only the cluster may write to this topic
RECORD_LIST_TOO_LARGE the batch is larger than the topic's segment.bytes
NOT_ENOUGH_REPLICAS fewer replicas are in sync than min.insync.replicas; nothing was written
NOT_ENOUGH_REPLICAS_AFTER_APPEND written by the leader, but fewer replicas are in sync than min.insync.replicas
INVALID_REQUIRED_ACKS acks must be -1, 0 or 1
ILLEGAL_GENERATION the consumer's generation is not the group's current one
INCONSISTENT_GROUP_PROTOCOL
INVALID_GROUP_ID the group id is not valid
UNKNOWN_MEMBER_ID the group does not know this member
INVALID_SESSION_TIMEOUT
REBALANCE_IN_PROGRESS
INVALID_COMMIT_OFFSET_SIZE
TOPIC_AUTHORIZATION_FAILED not authorized for the topic
GROUP_AUTHORIZATION_FAILED not authorized for the consumer group
CLUSTER_AUTHORIZATION_FAILED not authorized for this operation on the cluster
INVALID_TIMESTAMP the timestamp is outside what the topic accepts
UNSUPPORTED_SASL_MECHANISM the broker does not offer this SASL mechanism
ILLEGAL_SASL_STATE the SASL exchange is out of step
UNSUPPORTED_VERSION the broker does not speak this version of the request
TOPIC_ALREADY_EXISTS
INVALID_PARTITIONS
INVALID_REPLICATION_FACTOR
INVALID_REPLICA_ASSIGNMENT
INVALID_CONFIG
NOT_CONTROLLER
INVALID_REQUEST the broker understood the request, but not what it asks for
UNSUPPORTED_FOR_MESSAGE_FORMAT the topic's message format is too old for this
POLICY_VIOLATION a policy of the cluster forbids this
OUT_OF_ORDER_SEQUENCE_NUMBER the sequence number does not follow the last one written
DUPLICATE_SEQUENCE_NUMBER the batch is in the log already
INVALID_PRODUCER_EPOCH the producer epoch is older than the broker's
INVALID_TXN_STATE the transaction is in a state that does not allow this
INVALID_PRODUCER_ID_MAPPING the producer id does not belong to this transactional id
INVALID_TRANSACTION_TIMEOUT transaction.timeout.ms is above the broker's transaction.max.timeout.ms
CONCURRENT_TRANSACTIONS the previous transaction is still being completed
TRANSACTION_COORDINATOR_FENCED the coordinator has been replaced by a newer one
TRANSACTIONAL_ID_AUTHORIZATION_FAILED not authorized for the transactional id
SECURITY_DISABLED the cluster has no security enabled
OPERATION_NOT_ATTEMPTED not attempted, because another part of the request failed
KAFKA_STORAGE_ERROR the disk of the broker failed
LOG_DIR_NOT_FOUND
SASL_AUTHENTICATION_FAILED the credentials were refused
UNKNOWN_PRODUCER_ID the broker has no record of this producer id
REASSIGNMENT_IN_PROGRESS
DELEGATION_TOKEN_AUTH_DISABLED
DELEGATION_TOKEN_NOT_FOUND
DELEGATION_TOKEN_OWNER_MISMATCH
DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
DELEGATION_TOKEN_AUTHORIZATION_FAILED not authorized for the delegation token
DELEGATION_TOKEN_EXPIRED
INVALID_PRINCIPAL_TYPE
NON_EMPTY_GROUP
GROUP_ID_NOT_FOUND the group does not exist
FETCH_SESSION_ID_NOT_FOUND
INVALID_FETCH_SESSION_EPOCH
LISTENER_NOT_FOUND
TOPIC_DELETION_DISABLED
FENCED_LEADER_EPOCH the leader epoch is older than the broker's
UNKNOWN_LEADER_EPOCH the leader epoch is newer than the broker's
UNSUPPORTED_COMPRESSION_TYPE the compression type is not supported
STALE_BROKER_EPOCH
OFFSET_NOT_AVAILABLE
MEMBER_ID_REQUIRED
PREFERRED_LEADER_NOT_AVAILABLE
GROUP_MAX_SIZE_REACHED
FENCED_INSTANCE_ID another consumer took over this group.instance.id
ELIGIBLE_LEADERS_NOT_AVAILABLE
ELECTION_NOT_NEEDED
NO_REASSIGNMENT_IN_PROGRESS
GROUP_SUBSCRIBED_TO_TOPIC
INVALID_RECORD a record does not fit the topic's rules
UNSTABLE_OFFSET_COMMIT offsets of an open transaction are pending
THROTTLING_QUOTA_EXCEEDED a quota was exceeded
PRODUCER_FENCED a newer producer with the same transactional id took over
RESOURCE_NOT_FOUND
DUPLICATE_RESOURCE
UNACCEPTABLE_CREDENTIAL
INCONSISTENT_VOTER_SET
INVALID_UPDATE_VERSION
FEATURE_UPDATE_FAILED
PRINCIPAL_DESERIALIZATION_FAILURE
SNAPSHOT_NOT_FOUND
POSITION_OUT_OF_RANGE
UNKNOWN_TOPIC_ID the topic id is not known, or not known yet
DUPLICATE_BROKER_REGISTRATION
BROKER_ID_NOT_REGISTERED
INCONSISTENT_TOPIC_ID the topic id does not belong to this topic name
INCONSISTENT_CLUSTER_ID the broker belongs to another cluster
TRANSACTIONAL_ID_NOT_FOUND the transactional id does not exist
FETCH_SESSION_TOPIC_ID_ERROR
INELIGIBLE_REPLICA
NEW_LEADER_ELECTED
OFFSET_MOVED_TO_TIERED_STORAGE
FENCED_MEMBER_EPOCH
UNRELEASED_INSTANCE_ID
UNSUPPORTED_ASSIGNOR
STALE_MEMBER_EPOCH the consumer's member epoch is not the current one
MISMATCHED_ENDPOINT_TYPE
UNSUPPORTED_ENDPOINT_TYPE
UNKNOWN_CONTROLLER_ID
UNKNOWN_SUBSCRIPTION_ID the telemetry subscription has changed
TELEMETRY_TOO_LARGE the telemetry report is too large
INVALID_REGISTRATION
TRANSACTION_ABORTABLE the transaction must be aborted
INVALID_RECORD_STATE
SHARE_SESSION_NOT_FOUND
INVALID_SHARE_SESSION_EPOCH
FENCED_STATE_EPOCH
INVALID_VOTER_KEY
DUPLICATE_VOTER
VOTER_NOT_FOUND
INVALID_REGULAR_EXPRESSION
REBOOTSTRAP_REQUIRED start again from the bootstrap servers
STREAMS_INVALID_TOPOLOGY
STREAMS_INVALID_TOPOLOGY_EPOCH
STREAMS_TOPOLOGY_FENCED
SHARE_SESSION_LIMIT_REACHED
GROUP_DELETION_FAILED
STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED
CONTROLLER_ID_NOT_REGISTERED`
