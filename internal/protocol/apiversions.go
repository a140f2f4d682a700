package protocol

// This file owns the ApiVersions API, versions 0 to 5: the first exchange on a connection. 3 is flexible and names the
// client (KIP-511) and the cluster's features (KIP-584); 5 lets a broker notice that it is not the one that was meant.

import "github.com/kafka-go-producer/producer/errcode"

// ApiVersionsRequest asks which APIs and versions a broker speaks.
//
//nolint:revive // Kafka's spelling
type ApiVersionsRequest struct {
	ClientSoftwareName    string     // since version 3; brokers want letters, digits, '-' and '.'
	ClientSoftwareVersion string     // since version 3; like the name
	ClusterID             NullString // since version 5: the cluster this should be; null: any
	NodeID                int32      // since version 5: the broker this should be; -1: any
}

// Key returns ApiVersions.
func (*ApiVersionsRequest) Key() Key { return ApiVersions }

func (r *ApiVersionsRequest) walk(c *coder, version int16) {
	c.stringIf(version >= 3, &r.ClientSoftwareName)
	c.stringIf(version >= 3, &r.ClientSoftwareVersion)
	c.nullStringIf(version >= 5, &r.ClusterID)
	c.int32If(version >= 5, &r.NodeID, -1)
	c.noTags()
}

// ApiVersionsResponse tells what a broker speaks and which features its cluster has. Read it with DecodeApiVersions.
//
//nolint:revive // Kafka's spelling
type ApiVersionsResponse struct {
	ErrorCode      errcode.Code // UNSUPPORTED_VERSION: the request's version; ask again in one of Range(ApiVersions)
	APIKeys        []APIVersionRange
	ThrottleTimeMs int32 // since version 1: how long to send nothing more

	// The rest since version 3.
	SupportedFeatures      []SupportedFeature // of this broker
	FinalizedFeaturesEpoch int64              // grows with each change of FinalizedFeatures; -1: not known
	FinalizedFeatures      []FinalizedFeature // of the cluster; without meaning while the epoch is -1
	ZkMigrationReady       bool               // of brokers before 4.0
}

// APIVersionRange is the versions of one API that a broker speaks.
type APIVersionRange struct {
	Key        Key // may be one this client does not know
	MinVersion int16
	MaxVersion int16
}

// SupportedFeature is the levels of one feature that a broker is able to work at.
type SupportedFeature struct {
	Name       string
	MinVersion int16
	MaxVersion int16
}

// FinalizedFeature is the level of one feature that the cluster works at: "transaction.version", for instance.
type FinalizedFeature struct {
	Name            string
	MaxVersionLevel int16 // the level in force
	MinVersionLevel int16
}

// Key returns ApiVersions.
func (*ApiVersionsResponse) Key() Key { return ApiVersions }

// Range is the versions of that API the broker speaks; false: it does not speak it at all.
func (r *ApiVersionsResponse) Range(key Key) (minVersion, maxVersion int16, ok bool) {
	for i := range r.APIKeys {
		if a := &r.APIKeys[i]; a.Key == key {
			return a.MinVersion, a.MaxVersion, true
		}
	}
	return 0, -1, false
}

// DecodeApiVersions is Decode for the answer to an ApiVersions request of that version. A broker that does not know the
// version says UNSUPPORTED_VERSION in a response of version 0, which holds the versions of ApiVersions it does know, or
// (brokers before 2.4) nothing. That is no error here: r.ErrorCode tells.
//
//nolint:revive // Kafka's spelling
func DecodeApiVersions(body []byte, version int16, r *ApiVersionsResponse) error {
	// The error code comes first in all versions.
	c := coder{buf: body, end: len(body), decoding: true}
	c.int16((*int16)(&r.ErrorCode))
	if c.fault == "" && r.ErrorCode == errcode.UnsupportedVersion && Decode(body, r, 0) == nil {
		return nil
	}
	return Decode(body, r, version)
}

func (r *ApiVersionsResponse) walk(c *coder, version int16) {
	c.int16((*int16)(&r.ErrorCode))
	array(c, &r.APIKeys, 6)
	for i := range r.APIKeys {
		a := &r.APIKeys[i]
		c.int16((*int16)(&a.Key))
		c.int16(&a.MinVersion)
		c.int16(&a.MaxVersion)
		c.noTags()
	}
	c.int32If(version >= 1, &r.ThrottleTimeMs, 0)

	if c.decoding {
		r.SupportedFeatures, r.FinalizedFeaturesEpoch = r.SupportedFeatures[:0], -1
		r.FinalizedFeatures, r.ZkMigrationReady = r.FinalizedFeatures[:0], false
	}
	for t := c.tagged(r.tagsPresent()); c.nextTag(&t); {
		switch t.id {
		case 0:
			r.walkSupported(c)
		case 1:
			c.int64(&r.FinalizedFeaturesEpoch)
		case 2:
			r.walkFinalized(c)
		case 3:
			c.bool(&r.ZkMigrationReady)
		}
	}
}

// tagsPresent has a bit for each tagged field that differs from its default.
func (r *ApiVersionsResponse) tagsPresent() uint32 {
	var mask uint32
	if len(r.SupportedFeatures) > 0 {
		mask |= 1 << 0
	}
	if r.FinalizedFeaturesEpoch != -1 {
		mask |= 1 << 1
	}
	if len(r.FinalizedFeatures) > 0 {
		mask |= 1 << 2
	}
	if r.ZkMigrationReady {
		mask |= 1 << 3
	}
	return mask
}

func (r *ApiVersionsResponse) walkSupported(c *coder) {
	array(c, &r.SupportedFeatures, 6)
	for i := range r.SupportedFeatures {
		f := &r.SupportedFeatures[i]
		c.string(&f.Name)
		c.int16(&f.MinVersion)
		c.int16(&f.MaxVersion)
		c.noTags()
	}
}

func (r *ApiVersionsResponse) walkFinalized(c *coder) {
	array(c, &r.FinalizedFeatures, 6)
	for i := range r.FinalizedFeatures {
		f := &r.FinalizedFeatures[i]
		c.string(&f.Name)
		c.int16(&f.MaxVersionLevel)
		c.int16(&f.MinVersionLevel)
		c.noTags()
	}
}
