package producer

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/kafka-go-producer/producer/internal/backoff"
	"github.com/kafka-go-producer/producer/network"
)

// sender.go owns the Sender: the one goroutine that talks to brokers. A turn of its loop takes in what
// callers and connections have to say, decides where each queue belongs, and sends what can be sent.
// What it does is in proportion to what is ready, never to how many partitions there are.
//
// A queue that has something is in one of these places, or waits for one of its own batches to come
// back, which places it again:
//
//	ready        in the line of its leader's node
//	lingering    a wheel: its open batch may still fill
//	backingOff   a wheel: what it has was sent before, and failed
//	homeless     no leader known; the next metadata places it again
//
// and, for the delivery time-out, in the wheel expiring. Flags in queueState say where; only who
// takes a queue out of a place clears its flag.

// sender is that goroutine's state. Fields up to the blank line are for other goroutines as well.
type sender struct {
	cfg      *Config
	acc      *accumulator
	meta     *metadata
	comp     *completions
	clock    *clock
	logger   *slog.Logger
	wakeUp   chan struct{}
	asleep   atomic.Int32 // awake, napping or asleep
	flush    atomic.Int64 // flights up to this one do not linger
	flushing atomic.Int32 // calls of Flush that wait
	stop     atomic.Bool  // end once everything is delivered
	force    atomic.Bool  // end now
	lost     atomic.Int64 // records that force failed
	done     chan struct{}

	client        *network.Client
	time          time.Time // of this turn
	now           int64     // the same on the producer's clock
	nextAlarm     int64     // when to wake at the latest; zero: no need
	timer         *time.Timer
	nodes         map[int32]*nodeQueue
	links         map[int32]*link
	topics        map[string]*topic
	lingering     *wheel
	backingOff    *wheel
	expiring      *wheel
	homeless      []*queue
	hints         []leaderHint
	moved         []*queue // leaders changed in the metadata just taken in
	nextRoom      int64    // when makeRoom may look again
	hurried       int64    // the flush that lingering queues have been told of
	hurry         bool     // this turn nothing lingers: memory ran out, or the producer closes
	refresh       refresher
	bootstrapping bool // the nodes are the bootstrap servers
	cluster       ClusterResource
	resolving     *resolution // nil: names are looked up when connecting only
	identity      identity
	retry         backoff.Exponential
	retryTold     reminder          // of batches sent again
	retried       int               // how many have been since
	requests      []*produceRequest // free ones
	chunks        [][]byte          // scratch
	scratch       scratch           // likewise
	counts        senderCounts
}

// senderCounts are plain counters, read when the Sender is not running.
type senderCounts struct {
	requests, batches, records, bytes, retries, splits, failures, turns int64
}

// The values of asleep.
const (
	awake   int32 = iota
	napping       // wakes within a millisecond, and keeps the coarse clock
	asleep
)

// tick is how often a napping Sender wakes; a longer wait than nap is worth a real sleep.
const (
	tick = time.Millisecond
	nap  = 10 * tick
)

func newSender(cfg *Config, acc *accumulator, meta *metadata, comp *completions, clock *clock, client *network.Client) *sender {
	coarse := min(max(cfg.DeliveryTimeout/1000, tick), 50*tick)
	s := &sender{
		cfg: cfg, acc: acc, meta: meta, comp: comp, clock: clock, logger: cfg.Logger, client: client,
		wakeUp:        make(chan struct{}, 1),
		done:          make(chan struct{}),
		timer:         time.NewTimer(time.Hour),
		nodes:         map[int32]*nodeQueue{},
		links:         map[int32]*link{},
		topics:        map[string]*topic{},
		lingering:     newWheel(1024, tick),
		backingOff:    newWheel(1024, tick),
		expiring:      newWheel(4096, coarse),
		retry:         backoff.Exponential{Initial: cfg.RetryBackoff, Max: cfg.RetryBackoffMax},
		identity:      identity{id: -1},
		bootstrapping: true,
		hurried:       -1,
	}
	s.flush.Store(-1)
	s.refresh.backoff = s.retry
	s.refresh.request.Tag = &s.refresh
	s.identity.request.Tag = &s.identity
	client.SetNodes(cfg.seeds())
	return s
}

// wake tells the Sender that a queue is on the ready list. While it naps only urgent news wake it.
func (s *sender) wake(urgent bool) {
	for {
		state := s.asleep.Load()
		if state == awake || state == napping && !urgent && s.cfg.Linger > 0 {
			return
		}
		if s.asleep.CompareAndSwap(state, awake) {
			s.poke()
			return
		}
	}
}

// poke makes the Sender take another turn, whatever it is doing.
func (s *sender) poke() {
	select {
	case s.wakeUp <- struct{}{}:
	default:
	}
}

// run is the goroutine.
func (s *sender) run() {
	defer close(s.done)
	for !s.finished() {
		s.turn()
		s.rest()
	}
	s.shutDown()
}

// tell reads the clock.
func (s *sender) tell() {
	s.time = time.Now()
	s.now = int64(s.time.Sub(s.clock.start))
}

// alarm makes the Sender wake at that time of its clock.
func (s *sender) alarm(at int64) {
	if s.nextAlarm == 0 || at < s.nextAlarm {
		s.nextAlarm = max(at, 1)
	}
}

func (s *sender) turn() {
	s.counts.turns++
	s.tell()
	s.clock.coarse.Store(s.time.UnixMilli())
	s.nextAlarm = 0
	s.collect()
	s.refreshMetadata()
	s.identify()
	for _, n := range s.nodes {
		s.drain(n)
	}
	if !s.hurry && s.acc.pool.waiting.Load() > 0 && s.lingering.n > 0 {
		s.makeRoom()
	}
	s.setAlarms()
}

// makeRoom is for callers that wait for memory while batches linger that hold it: those of brokers with
// nothing in flight go at once. The others' will be sent when their answers come, and better filled.
func (s *sender) makeRoom() {
	if s.now < s.nextRoom {
		s.alarm(s.nextRoom)
		return
	}
	s.nextRoom = s.now + int64(nap) // it looks at all that lingers
	for _, q := range s.lingering.all() {
		q.sender.lingering = false
		n := q.sender.node
		s.hurry = n == nil || s.client.InFlight(n.id) == 0
		s.place(q)
	}
	s.hurry = true
	for _, n := range s.nodes {
		if s.client.InFlight(n.id) == 0 {
			s.drain(n)
		}
	}
	s.hurry = false
	s.alarm(s.nextRoom)
}

// setAlarms comes last in a turn: whatever was done in it may have filed a queue or asked for a node.
func (s *sender) setAlarms() {
	if next := s.client.Tick(s.time); !next.IsZero() {
		s.alarm(int64(next.Sub(s.clock.start)))
	}
	for _, w := range []*wheel{s.lingering, s.backingOff, s.expiring} {
		if at, ok := w.next(); ok {
			s.alarm(at)
		}
	}
}

// collect places the queues with news and those whose time has come.
func (s *sender) collect() {
	for q := s.acc.ready.takeAll(); q != nil; {
		next := q.nextReady
		q.nextReady = nil
		s.unlist(q)
		s.place(q)
		q = next
	}
	for _, q := range s.lingering.expire(s.now) {
		q.sender.lingering = false
		s.place(q)
	}
	for _, q := range s.backingOff.expire(s.now) {
		q.sender.backingOff = false
		s.place(q)
	}
	for _, q := range s.expiring.expire(s.now) {
		q.sender.expiring = false
		s.expire(q)
	}
	s.hurry = s.stop.Load()
	if flush := s.flush.Load(); flush > s.hurried || s.hurry {
		s.hurried = flush
		s.hurryAll()
	}
}

// hurryAll has another look at everything that lingers.
func (s *sender) hurryAll() {
	for _, q := range s.lingering.all() {
		q.sender.lingering = false
		s.place(q)
	}
}

// unlist marks a queue that was taken off the ready list, so that it can get there again.
func (s *sender) unlist(q *queue) {
	q.mu.Lock()
	q.listed = false
	q.mu.Unlock()
}

// rest sleeps until there is something to do, and takes in what connections have to say.
func (s *sender) rest() {
	if s.hear() {
		return
	}
	mode := asleep
	if at, ok := s.lingering.next(); ok && at-s.now <= int64(nap) {
		mode = napping
		s.alarm(s.now + int64(tick))
	}
	if mode == asleep {
		s.clock.coarse.Store(0)
	}
	s.asleep.Store(mode) // before the last look: who pushes after it sees it, and wakes
	if !s.acc.ready.empty() {
		s.asleep.Store(awake)
		return
	}
	var alarm <-chan time.Time
	if s.nextAlarm > 0 {
		s.timer.Reset(max(time.Until(s.clock.at(s.nextAlarm)), 0))
		alarm = s.timer.C
	}
	select {
	case <-s.wakeUp:
	case signal := <-s.client.Signals():
		s.asleep.Store(awake)
		s.tell()
		s.handle(signal)
		s.hear()
	case <-alarm:
	}
	s.asleep.Store(awake)
}

// hear takes in what connections have said already; false: nothing.
func (s *sender) hear() (heard bool) {
	for range 64 { // then callers have a turn
		select {
		case signal := <-s.client.Signals():
			if !heard {
				s.tell()
			}
			heard = true
			s.handle(signal)
		default:
			return heard
		}
	}
	return heard
}

// handle acts on one signal of a connection.
func (s *sender) handle(signal network.Signal) {
	for _, e := range s.client.Handle(signal, s.time) {
		switch e.Kind {
		case network.Response, network.Failed, network.Written:
			s.ended(e)
		case network.Disconnected:
			s.disconnected(e)
		case network.Connected:
			s.connected(e)
		}
		if e.Body != nil {
			s.client.Recycle(e.Body)
		}
	}
}

// ended acts on the end of a request.
func (s *sender) ended(e network.Event) {
	switch r := e.Request.Tag.(type) {
	case *produceRequest:
		s.produced(r, e)
	case *refresher:
		if e.Kind == network.Response {
			s.refreshed(e.Node, e.Body)
		} else {
			s.refreshFailed(e.Err)
		}
	case *identity:
		s.identified(e)
	}
}

// finished says whether the Sender has nothing left to do.
func (s *sender) finished() bool {
	return s.force.Load() || s.stop.Load() && s.acc.live.Load() == 0
}

// shutDown ends the connections and whatever is left.
func (s *sender) shutDown() {
	s.tell()
	s.timer.Stop()
	s.resolving.stop()
	s.acc.compression.end()
	s.client.Close() // from here on nothing reads a batch's memory
	for _, t := range s.topics {
		for _, q := range t.queues {
			s.abandon(q)
		}
	}
	s.comp.end()
}
