package record

// Limit is how many encoders c may have.
func (c *Compressor) Limit() int { return c.limit }

// Live is how many encoders c has.
func (c *Compressor) Live() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.live
}

// Hold takes an encoder as a call of Compress does, until release.
func (c *Compressor) Hold() (release func()) {
	e := c.take()
	return func() { c.give(e) }
}

// XXH32 is the checksum of LZ4 frames.
func XXH32(p []byte) uint32 { return xxh32(p) }
