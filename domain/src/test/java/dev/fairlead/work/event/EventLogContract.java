package dev.fairlead.work.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.transaction.Meanwhile;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The guarantees of every {@link EventLog}: complete, in one order, resumable anywhere. */
public abstract class EventLogContract {
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  @Test
  void eventsAreStoredInTheTransactionOfTheirChange() {
    EventPosition before = stores.events().head();
    Job job = world.submit(Specs.job("told"));

    EventRecord record = mine(before).getFirst();

    assertThat(record.fact())
        .isEqualTo(Fact.of("JobSubmitted").with("name", "told").with("members", 1));
    assertThat(record.subject()).isEqualTo(IdKind.JOB);
    assertThat(record.subjectId()).isEqualTo(job.id().value());
    assertThat(record.version()).isEqualTo(1);
    assertThat(record.actor()).isEqualTo("ana");
    assertThat(record.tenant()).isEqualTo(world.tenant().id());
    assertThat(record.project()).isEqualTo(world.project().id());
  }

  /** Fails when a reader has to query the job, its project or its nodes. */
  @Test
  void eventsNameTheirJobProjectUserAndNode() {
    EventPosition before = stores.events().head();
    Job job = world.submit(Specs.job("told").workers(2));
    world.place(job);

    List<EventContext> contexts = mine(before).stream().map(EventRecord::context).toList();

    String project = world.project().name();
    assertThat(contexts.getFirst())
        .isEqualTo(new EventContext("told", "ana", project, null, List.of(), 0));
    assertThat(contexts.getLast())
        .isEqualTo(
            new EventContext(
                "told", "ana", project, world.cluster().name(), List.of("node-1", "node-2"), 2));
  }

  /** Fails when a condition is ignored, or a page without events has no next position. */
  @Test
  void eventsAreFoundByTenantProjectJobAndTypeAndPagesJoin() {
    TestWorld other = TestWorld.in(stores);
    EventPosition before = stores.events().head();
    Job first = world.submit(Specs.job("first"));
    for (int i = 0; i < 5; i++) {
      other.submit(Specs.job("theirs-" + i));
    }
    Job second = world.submit(Specs.job("second"));
    world.cancel(second);

    EventFilter all = new EventFilter(world.tenant().id(), null, null, new TreeSet<>());
    assertThat(found(all, before))
        .containsExactly(
            first.id().value() + " JobSubmitted",
            second.id().value() + " JobSubmitted",
            second.id().value() + " JobCancelled");
    UUID job = second.id().value();
    ProjectId project = world.project().id();
    assertThat(found(new EventFilter(world.tenant().id(), project, job, new TreeSet<>()), before))
        .containsExactly(job + " JobSubmitted", job + " JobCancelled");
    assertThat(
            found(
                new EventFilter(
                    world.tenant().id(), null, null, new TreeSet<>(List.of("JobCancelled"))),
                before))
        .containsExactly(job + " JobCancelled");
    assertThat(
            found(
                new EventFilter(world.tenant().id(), other.project().id(), null, new TreeSet<>()),
                before))
        .isEmpty();
    assertThat(found(ofProjects(List.of(other.project().id(), project)), before))
        .isEqualTo(found(all, before));
    assertThat(found(ofProjects(List.of()), before)).isEmpty();
    assertThat(stores.events().find(all, before, 1, 2).events()).hasSize(1);
  }

  private EventFilter ofProjects(List<ProjectId> projects) {
    return new EventFilter(
        world.tenant().id(), projects, null, new TreeSet<>(), false, new TreeMap<>());
  }

  /** In pages so small that some have no event of the filter. */
  private List<String> found(EventFilter filter, EventPosition before) {
    List<String> found = new ArrayList<>();
    EventPosition position = before;
    while (position != null) {
      EventSlice slice = stores.events().find(filter, position, 2, 3);
      slice.events().forEach(e -> found.add(e.subjectId() + " " + e.fact().type()));
      position = slice.next();
    }
    return found;
  }

  @Test
  void factValuesRetainTheirTypes() {
    EventPosition before = stores.events().head();
    Job job = world.newJob(Specs.job("typed").build());
    Fact fact = Fact.of("JobSubmitted").with("text", "1").with("number", 1).with("flag", true);
    world.append(
        new Transition(
            job,
            List.of(),
            null,
            Transition.AllocationChange.KEEP,
            List.of(fact),
            TestWorld.ACTOR));

    assertThat(mine(before).getFirst().fact()).isEqualTo(fact);
  }

  @Test
  void eventsOfASubjectAreOrderedByItsVersions() {
    Job job = world.submit(Specs.job("life"));
    Attempt attempt = world.succeed(world.run(world.place(job)));
    world.append(JobTransitions.retire(world.job(job), attempt, world.now(), TestWorld.ACTOR));

    List<EventRecord> records = of(job, EventPosition.START, 100);

    assertThat(records)
        .extracting(r -> r.fact().type())
        .containsExactly(
            "JobSubmitted",
            "JobAdmitted",
            "AttemptLaunching",
            "JobStarting",
            "AttemptRunning",
            "JobRunning",
            "AttemptSucceeded",
            "JobSucceeded",
            "AttemptRetired");
    assertThat(records).extracting(EventRecord::version).isSorted();
    assertThat(records).extracting(EventRecord::position).isSorted().doesNotHaveDuplicates();
    assertThat(records.getLast().version()).isEqualTo(world.job(job).version());
  }

  /** Fails when a position between the facts of one change loses or repeats a fact. */
  @Test
  void readerResumesAfterItsLastEvent() {
    EventPosition before = stores.events().head();
    Job job = world.submit(Specs.job("life"));
    world.run(world.place(job));
    EventFilter filter = new EventFilter(world.tenant().id(), null, null, new TreeSet<>());

    List<EventRecord> all = of(job, EventPosition.START, 100);

    assertThat(all)
        .extracting(EventRecord::version)
        .as("facts of one change")
        .hasSize(6)
        .contains(3L, 3L);
    for (int limit : new int[] {1, 2, 3, 5}) {
      assertThat(pieces(before, p -> of(job, p, limit), limit)).isEqualTo(all);
      assertThat(pieces(before, p -> stores.events().after(p, limit), limit)).isEqualTo(all);
      assertThat(pieces(before, p -> stores.events().find(filter, p, limit, 100).events(), limit))
          .isEqualTo(all);
      assertThat(stores.events().find(filter, before, 100, limit).events())
          .isEqualTo(all.subList(0, limit));
    }
  }

  private static List<EventRecord> pieces(
      EventPosition before, Function<EventPosition, List<EventRecord>> read, int limit) {
    List<EventRecord> inPieces = new ArrayList<>();
    EventPosition position = before;
    for (List<EventRecord> piece = read.apply(position);
        !piece.isEmpty();
        piece = read.apply(position)) {
      assertThat(piece).hasSizeLessThanOrEqualTo(limit);
      inPieces.addAll(piece);
      position = piece.getLast().position();
    }
    return inPieces;
  }

  @Test
  void streamDeliversTheEventsOfAllSubjects() {
    EventPosition before = stores.events().head();
    Job first = world.submit(Specs.job("first"));
    Job second = world.submit(Specs.job("second"));
    world.cancel(first);

    List<EventRecord> stream = mine(before);

    assertThat(stream)
        .extracting(r -> r.fact().type())
        .containsExactly("JobSubmitted", "JobSubmitted", "JobCancelled");
    assertThat(stream).extracting(EventRecord::position).isSorted().doesNotHaveDuplicates();
    assertThat(of(first, EventPosition.START, 9)).containsExactly(stream.get(0), stream.get(2));
    assertThat(of(second, EventPosition.START, 9)).containsExactly(stream.get(1));
  }

  @Test
  void headIsTheNewestCompletePosition() {
    Job job = world.submit(Specs.job("last"));

    Attempt running = world.run(world.place(job));

    EventPosition head = stores.events().head();

    assertThat(head).isGreaterThanOrEqualTo(of(job, EventPosition.START, 9).getLast().position());
    assertThat(mine(head)).isEmpty();
    world.succeed(running);
    assertThat(mine(head)).hasSize(2);
  }

  @Test
  void readerCanStartAtATimestamp() {
    Job job = world.submit(Specs.job("first"));
    world.cancel(job);
    List<EventRecord> both = of(job, EventPosition.START, 9);
    EventRecord cancelled = both.getLast();

    EventPosition found = stores.events().firstSince(cancelled.at()).orElseThrow();

    assertThat(found).isLessThanOrEqualTo(cancelled.position());
    assertThat(stores.events().firstSince(cancelled.at().plusSeconds(3600))).isEmpty();
    assertThat(stores.events().firstSince(both.getFirst().at()).orElseThrow())
        .isLessThanOrEqualTo(both.getFirst().position());
  }

  @Test
  void oldestPositionIsThatOfTheFirstRetainedEvent() {
    world.submit(Specs.job("first"));

    EventPosition oldest = stores.events().oldest().orElseThrow();

    assertThat(stores.events().after(EventPosition.START, 1).getFirst().position())
        .isEqualTo(oldest);
  }

  @Test
  void rolledBackEventIsNeverPublished() {
    EventPosition before = stores.events().head();
    try {
      stores
          .transactions()
          .run(() -> {
            world.submit(Specs.job("undone"));
            throw new IllegalStateException("undo");
          });
    } catch (IllegalStateException undone) {
      assertThat(undone).hasMessage("undo");
    }
    Job after = world.submit(Specs.job("after"));

    assertThat(mine(before)).extracting(EventRecord::subjectId).containsExactly(after.id().value());
  }

  @Test
  void noEventAppearsBeforeAPublishedPosition() throws Exception {
    // Fails when readers do not stop below the oldest running transaction: the late commit would
    // be skipped.
    EventPosition before = stores.events().head();
    Job late = world.newJob(Specs.job("late").build());
    List<EventRecord> early = new ArrayList<>();
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      stores
          .transactions()
          .run(() -> {
            stores.jobs().append(List.of(JobTransitions.submit(late)));
            Meanwhile.mayEnd(other.submit(() -> world.submit(Specs.job("early"))));
            early.addAll(mine(before));
          });
      other.shutdown();
      assertThat(other.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    EventPosition read = early.isEmpty() ? before : early.getLast().position();
    List<EventRecord> all = new ArrayList<>(early);
    all.addAll(mine(read));
    assertThat(all).hasSize(2).extracting(EventRecord::position).isSorted();
  }

  /** Fails when a reader that names a time begins behind an event that is not yet committed. */
  @Test
  void readerStartingAtATimeDoesNotPassAnOpenTransaction() throws Exception {
    Instant since = stores.jobs().now();
    Job late = world.newJob(Specs.job("late").build());
    List<EventPosition> first = new ArrayList<>();
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      stores
          .transactions()
          .run(() -> {
            stores.jobs().append(List.of(JobTransitions.submit(late)));
            Meanwhile.mayEnd(
                other.submit(() -> {
                  world.submit(Specs.job("early"));
                  stores.events().firstSince(since).ifPresent(first::add);
                }));
          });
      other.shutdown();
      assertThat(other.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    EventPosition position = of(late, EventPosition.START, 9).getFirst().position();
    assertThat(first).allSatisfy(found -> assertThat(found).isLessThanOrEqualTo(position));
    assertThat(stores.events().firstSince(since).orElseThrow()).isLessThanOrEqualTo(position);
  }

  @Test
  void anotherTenantReadsNothingOfASubject() {
    Job job = world.submit(Specs.job("mine"));
    TestWorld other = TestWorld.in(stores);

    assertThat(
            stores
                .events()
                .of(other.tenant().id(), IdKind.JOB, job.id().value(), EventPosition.START, 9))
        .isEmpty();
  }

  private List<EventRecord> of(Job job, EventPosition after, int limit) {
    return stores.events().of(world.tenant().id(), IdKind.JOB, job.id().value(), after, limit);
  }

  private List<EventRecord> mine(EventPosition after) {
    return stores.events().after(after, 1000).stream()
        .filter(r -> r.tenant().equals(world.tenant().id()))
        .toList();
  }
}
