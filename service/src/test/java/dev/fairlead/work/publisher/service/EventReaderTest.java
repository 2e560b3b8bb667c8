package dev.fairlead.work.publisher.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.event.EventFilter;
import dev.fairlead.work.event.EventLog;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.event.EventSlice;
import dev.fairlead.work.event.FleetFact;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.publisher.service.spi.EventTail;
import dev.fairlead.work.publisher.service.spi.TailedEvent;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Reads events with and without the tail in memory. */
class EventReaderTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final EventTail tail = new EventTail(stores.events());
  private final EventQueries queries =
      new EventQueries(
          stores.events(), tail, stores.tenants(), stores.inventory(), new SimpleMeterRegistry());
  private final Actor ana = new Actor(world.tenant().id(), "ana", Role.TENANT_MEMBER);

  private EventFilter all() {
    return queries.filter(ana, null, null, Set.of(), new TreeMap<>());
  }

  private static List<EventRecord> read(EventReader reader) throws InterruptedException {
    List<EventRecord> read = new ArrayList<>();
    for (List<TailedEvent> page = reader.next(Duration.ZERO);
        !page.isEmpty();
        page = reader.next(Duration.ZERO)) {
      page.forEach(e -> read.add(e.event()));
    }
    return read;
  }

  private List<EventRecord> stored(EventPosition after) {
    return stores.events().after(after, 100_000);
  }

  private void submit(int jobs, String name) {
    for (int i = 0; i < jobs; i++) {
      world.submit(Specs.job(name + "-" + i));
    }
  }

  @Test
  void anOperatorFollowsTheFleetAndAMemberTheNodesOfItsJobs() throws InterruptedException {
    Actor operator = new Actor(world.tenant().id(), "omar", Role.OPERATOR);
    world.place(world.submit(Specs.job("mine").gpus(1)), 0, "node-1");
    SortedMap<String, String> place =
        new TreeMap<>(Map.of(FleetFact.CLUSTER, world.cluster().id().text()));
    try (EventReader all =
            queries.follow(operator, queries.filter(operator, null, null, Set.of(), place), null);
        EventReader own =
            queries.follow(ana, queries.filter(ana, null, null, Set.of(), place), null);
        EventReader ofProject =
            queries.follow(
                operator,
                queries.filter(operator, world.project().name(), null, Set.of(), place),
                null)) {
      for (String name : List.of("node-1", "node-2")) {
        stores.inventory().order(List.of(world.node(name).id()), NodeOrder.CORDON);
      }

      assertThat(nodes(all)).containsExactly("[node-1] null", "[node-2] null");
      assertThat(nodes(own)).containsExactly("[node-1] [mine]");
      assertThat(nodes(ofProject)).containsExactly("[node-1] [mine]");
    }
  }

  private static List<String> nodes(EventReader reader) throws InterruptedException {
    return read(reader).stream()
        .map(event -> event.fact().data())
        .map(data -> data.get(FleetFact.NODES) + " " + data.get("jobs"))
        .toList();
  }

  /** Fails when a list by type begins with empty pages. */
  @Test
  void pageStartsWithTheFirstMatchingEvent() {
    List<Integer> reads = new ArrayList<>();
    EventLog log =
        (EventLog)
            Proxy.newProxyInstance(
                EventLog.class.getClassLoader(),
                new Class<?>[] {EventLog.class},
                (_, method, arguments) -> {
                  if (!method.getName().equals("find")) {
                    return method.invoke(stores.events(), arguments);
                  }
                  EventPosition after = (EventPosition) arguments[1];
                  reads.add((int) after.sequence());
                  return after.sequence() < 6
                      ? new EventSlice(List.of(), new EventPosition(1, after.sequence() + 1))
                      : stores.events().find(all(), EventPosition.START, 1, 5_000);
                });
    EventQueries skipping =
        new EventQueries(
            log, tail, stores.tenants(), stores.inventory(), new SimpleMeterRegistry());
    submit(1, "match");

    assertThat(skipping.page(all(), new EventPosition(1, 0), 50).events()).hasSize(1);
    assertThat(reads).containsExactly(0, 1, 2, 3, 4, 5, 6);
    assertThat(skipping.page(all(), new EventPosition(1, -100), 50).next())
        .as("at its bound")
        .isEqualTo(new EventPosition(1, -80));
  }

  /** Fails when the number of concurrent lists is unbounded. */
  @Test
  void atMostFourListsReadConcurrently() {
    AtomicReference<EventQueries> skipping = new AtomicReference<>();
    List<EventSlice> pages = new ArrayList<>();
    Runnable another = () -> pages.add(skipping.get().page(all(), new EventPosition(1, 0), 50));
    EventLog log =
        (EventLog)
            Proxy.newProxyInstance(
                EventLog.class.getClassLoader(),
                new Class<?>[] {EventLog.class},
                (_, method, arguments) -> {
                  EventPosition after = (EventPosition) arguments[1];
                  if (after.sequence() == 0) {
                    return new EventSlice(List.of(), new EventPosition(1, 1));
                  }
                  if (pages.isEmpty()) {
                    another.run(); // while this list continues to read
                  }
                  return stores.events().find(all(), EventPosition.START, 1, 5_000);
                });
    skipping.set(
        new EventQueries(
            log, tail, stores.tenants(), stores.inventory(), new SimpleMeterRegistry()));
    submit(1, "match");

    another.run();

    assertThat(pages.getFirst())
        .as("the fifth list")
        .isEqualTo(new EventSlice(List.of(), new EventPosition(1, 1)));
    assertThat(pages.subList(1, 5)).allMatch(page -> page.events().size() == 1);
    assertThat(skipping.get().page(all(), new EventPosition(1, 0), 50).events()).hasSize(1);
  }

  @Test
  void readerWithoutAPositionStartsNow() throws InterruptedException {
    submit(3, "before");
    try (EventReader reader = queries.follow(ana, all(), null)) {
      tail.tick();
      submit(2, "after");
      tail.tick();

      assertThat(read(reader)).hasSize(2);
      assertThat(reader.position()).isEqualTo(stores.events().head());
    }
  }

  @Test
  void interruptedReaderResumesWithoutAGap() throws InterruptedException {
    EventPosition start = stores.events().head();
    List<EventRecord> read = new ArrayList<>();
    EventPosition position = start;
    for (int cut = 0; cut < 50; cut++) {
      try (EventReader reader = queries.follow(ana, all(), position)) {
        submit(1 + cut % 7, "cut-" + cut);
        if (cut % 3 != 0) {
          tail.tick();
        }
        reader.next(Duration.ZERO).forEach(e -> read.add(e.event()));
        position = reader.position();
      }
      if (cut % 5 == 0) {
        tail.tick(); // no reader exists, so the cached events are dropped
      }
    }
    try (EventReader reader = queries.follow(ana, all(), position)) {
      read.addAll(read(reader));
    }

    assertThat(read).isEqualTo(stored(start));
  }

  @Test
  void readerBehindTheCacheReadsFromTheLog() throws InterruptedException {
    EventPosition start = stores.events().head();
    try (EventReader slow = queries.follow(ana, all(), null)) {
      for (int i = 0; i < 30; i++) {
        submit(100, "many-" + i);
        tail.tick();
      }
      assertThat(tail.after(start, 10)).as("no longer kept").isEmpty();

      assertThat(read(slow)).isEqualTo(stored(start)).hasSize(3_000);
    }
  }

  @Test
  void filteredReaderGetsOnlyMatchesAndItsPositionAdvances() throws InterruptedException {
    Job mine = world.submit(Specs.job("mine"));
    TestWorld other = TestWorld.in(stores);
    EventFilter cancelled =
        queries.filter(ana, null, mine.id(), Set.of("JobCancelled"), new TreeMap<>());
    try (EventReader reader = queries.follow(ana, cancelled, null)) {
      submit(3, "others");
      other.submit(Specs.job("foreign"));
      world.cancel(mine);
      submit(3, "more");
      other.submit(Specs.job("last"));

      assertThat(read(reader))
          .singleElement()
          .matches(e -> e.subjectId().equals(mine.id().value()));
      assertThat(reader.position()).isEqualTo(stores.events().head());
    }
    assertThat(queries.page(all(), EventPosition.START, 100).events())
        .noneMatch(e -> !e.tenant().equals(world.tenant().id()));
  }

  @Test
  void expiredPositionIsRejected() {
    submit(3, "old");
    EventPosition old = stored(EventPosition.START).getFirst().position();
    stores.events().forget(stored(EventPosition.START).get(1).position());

    assertExpired(old);
    assertExpired(new EventPosition(Long.MAX_VALUE, 1));
    assertThat(tail.readers()).isZero();
  }

  private void assertExpired(EventPosition position) {
    assertThatThrownBy(() -> queries.follow(ana, all(), position))
        .isInstanceOfSatisfying(
            Refusal.class, r -> assertThat(r.code()).isEqualTo(ProblemCode.POSITION_EXPIRED));
  }

  @Test
  void readerWhoseNextEventsExpireMeanwhileIsNotified() {
    submit(1, "before");
    try (EventReader slow = queries.follow(ana, all(), null)) {
      submit(3, "gone");
      stores.events().forget(stores.events().head());
      submit(1, "kept");

      assertThatThrownBy(() -> slow.next(Duration.ZERO)).isInstanceOf(Refusal.class);
    }
  }

  @Test
  void everyReaderEndsWithItsProcess() throws InterruptedException {
    try (EventReader reader = queries.follow(ana, all(), null)) {
      Thread ends = Thread.ofVirtual().start(tail::close);
      assertThat(reader.next(Duration.ofMinutes(5))).isEmpty();
      ends.join();
      assertThat(reader.closed()).isTrue();
    }
    assertThatThrownBy(() -> queries.follow(ana, all(), null)).isInstanceOf(Refusal.class);
    assertThat(tail.readers()).isZero();
  }

  @Test
  void pagesOfEventsHoldEachOnceInOrder() {
    submit(250, "paged");
    List<EventRecord> paged = new ArrayList<>();
    EventSlice page = queries.page(all(), EventPosition.START, 100);
    paged.addAll(page.events());
    while (page.next() != null) {
      page = queries.page(all(), page.next(), 100);
      paged.addAll(page.events());
    }
    assertThat(paged).isEqualTo(stored(EventPosition.START));
  }
}
