package producer

import "slices"

// adaptive.go owns the weights of the sticky choice (KIP-794): partitions in whose queues more batches
// wait are chosen less often. Callers make and read the tables; a table never changes.

// loadTable is the choice among some partitions of a topic, as of a moment.
type loadTable struct {
	made       int64 // on the producer's clock
	of         *topicInfo
	partitions []int32
	cumulative []int // weights added up; nil: all are equal
}

// loadTableAge is how long a table serves, in nanoseconds.
const loadTableAge = int64(10 * tick)

// draw picks a partition at random, by weight.
func (l *loadTable) draw(pick func(int) int) int32 {
	if l.cumulative == nil {
		return l.partitions[pick(len(l.partitions))]
	}
	r := pick(l.cumulative[len(l.cumulative)-1])
	i, exact := slices.BinarySearch(l.cumulative, r)
	if exact {
		i++
	}
	return l.partitions[i]
}

// loads is the topic's current table; it makes a new one when that is old or of other metadata.
func (a *accumulator) loads(info *topicInfo) *loadTable {
	now := a.clock.now()
	l := info.topic.loads.Load()
	if l == nil || l.of != info || now-l.made >= loadTableAge {
		l = a.makeLoads(info, now)
		info.topic.loads.Store(l)
	}
	return l
}

// makeLoads weighs the partitions that records without a key may go to: those of brokers that take what
// is sent to them, in the client's rack if it wants that and there are any, else with any leader.
func (a *accumulator) makeLoads(info *topicInfo, now int64) *loadTable {
	l := &loadTable{made: now, of: info}
	for _, partitions := range [][]int32{a.taking(info, info.inRack, now), a.taking(info, info.available, now), info.inRack, info.available} {
		if len(partitions) == 0 {
			continue
		}
		if l.partitions = partitions; a.adaptive {
			l.weigh(info.queues)
		}
		return l
	}
	for i := range info.queues { // no leader anywhere: any will do
		l.partitions = append(l.partitions, int32(i))
	}
	return l
}

// taking are the partitions without those whose broker has not taken anything for too long. Like the
// weights, that is a part of adaptive partitioning.
func (a *accumulator) taking(info *topicInfo, partitions []int32, now int64) []int32 {
	if !a.adaptive || a.availability <= 0 {
		return partitions
	}
	return slices.DeleteFunc(slices.Clone(partitions), func(p int32) bool {
		since := info.partitions[p].node.blocked.Load()
		return since != 0 && now-since > int64(a.availability)
	})
}

// weigh gives each partition the weight by which its queue is shorter than one more than the longest.
func (l *loadTable) weigh(queues []*queue) {
	lengths := make([]int, len(l.partitions))
	longest, shortest := 0, int(queues[l.partitions[0]].waiting.Load())
	for i, p := range l.partitions {
		lengths[i] = int(queues[p].waiting.Load())
		longest, shortest = max(longest, lengths[i]), min(shortest, lengths[i])
	}
	if longest == shortest {
		return
	}
	total := 0
	for i, n := range lengths {
		total += longest + 1 - n
		lengths[i] = total
	}
	l.cumulative = lengths
}
