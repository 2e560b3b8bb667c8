package dev.fairlead.integration;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.world.Members;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.Collectors;

/** One installation on which a script runs, and its visible state without ids and times. */
final class Side {
  private static final int MOST = 1_000;
  private final Stores stores;
  private final TestWorld world;
  private final List<Job> jobs = new ArrayList<>();
  private final List<Attempt> attempts = new ArrayList<>();

  Side(Stores stores) {
    this.stores = stores;
    this.world = TestWorld.in(stores);
  }

  /** The result of the step: done, or the guard or the kind of error that refused it. */
  String run(Script.Step step) {
    try {
      step.work().on(this);
      return "done";
    } catch (Conflict conflict) {
      return conflict.guard().name();
    } catch (NoSuchElementException | IllegalStateException | IllegalArgumentException refused) {
      return refused.getClass().getSimpleName();
    }
  }

  void submit(Specs spec) {
    jobs.add(world.submit(spec));
  }

  private Job job(int number) {
    return world.job(any(jobs, number));
  }

  private static <T> T any(List<T> of, int number) {
    if (of.isEmpty()) {
      throw new NoSuchElementException("none yet");
    }
    return of.get(number % of.size());
  }

  private Attempt attempt(int number) {
    return world.attempt(any(attempts, number));
  }

  private Attempt planned(Job job, int number, String node) {
    int element = job.array() == null ? 0 : number % job.array().elements();
    return world.attempt(
        job, element, Members.of(job.spec(), List.of(world.node(node)), CapacityType.RESERVED));
  }

  void place(int number, String node) {
    store(planned(job(number), number, node));
  }

  void race(int one, int two, String node) {
    Attempt first = planned(job(one), one, node);
    Attempt second = planned(job(two), two, node);
    store(first);
    store(second);
  }

  private void store(Attempt attempt) {
    world.append(world.admission(attempt));
    attempts.add(attempt);
  }

  void run(int number) {
    world.run(attempt(number));
  }

  void succeed(int number) {
    world.succeed(attempt(number));
  }

  void fail(int number, FailureCause cause) {
    world.fail(attempt(number), cause);
  }

  void cancel(int number) {
    world.cancel(job(number));
  }

  void report(List<NodeReport> reports) {
    world.report(reports.toArray(NodeReport[]::new));
  }

  void limit(List<QuotaLimit> limits) {
    world.limit(world.queue(), limits.toArray(QuotaLimit[]::new));
  }

  void move(String node, NodeState state) {
    stores.moveNode(world.node(node).id(), state);
  }

  void grow(int number, String node) {
    world.grow(attempt(number), node);
  }

  /** Every second member is ordered to leave. */
  void shrink(int number) {
    Attempt attempt = attempt(number);
    world.shrink(
        attempt,
        attempt.members().stream()
            .filter(m -> m.index() % 2 == 1)
            .map(Member::key)
            .toArray(String[]::new));
  }

  void leave(int number) {
    world.leave(attempt(number));
  }

  /** From the row before the last change. */
  void stale(int number) {
    Job now = job(number);
    world.append(
        new Transition(
            now, List.of(), null, Transition.AllocationChange.KEEP, List.of(), TestWorld.ACTOR));
  }

  /** The unchanged end of an attempt, written again. */
  void endAgain(int number) {
    Attempt ended = attempt(number);
    Job job = job(jobIndex(ended));
    world.append(
        new Transition(
            job.next(job.run(), job.array()),
            List.of(),
            ended,
            ended.live() ? Transition.AllocationChange.TAKE : Transition.AllocationChange.RELEASE,
            List.of(),
            TestWorld.ACTOR));
  }

  private int jobIndex(Attempt attempt) {
    for (int i = 0; i < jobs.size(); i++) {
      if (jobs.get(i).id().equals(attempt.job())) {
        return i;
      }
    }
    throw new NoSuchElementException("no job of " + attempt);
  }

  /** None of its changes may be visible afterwards. */
  void undone(int number, String node) {
    stores
        .transactions()
        .run(() -> {
          world.append(world.admission(planned(job(number), number, node)));
          throw new IllegalStateException("undone");
        });
  }

  /** All readable state, in a defined order. */
  String state() {
    StringBuilder text = new StringBuilder();
    jobs.forEach(job -> text.append(shown(world.job(job))));
    attempts.forEach(attempt -> text.append(shown(world.attempt(attempt))));
    stores
        .inventory()
        .nodes(world.cluster().id())
        .forEach(n ->
            text.append(n.name())
                .append(' ')
                .append(n.state())
                .append(' ')
                .append(n.bootId())
                .append(' ')
                .append(n.allocated())
                .append(n.gpus().stream().map(Side::shown).toList())
                .append('\n'));
    text.append(
        stores.quotas().uses(world.tenant().id()).stream()
            .filter(use -> use.used() != 0)
            .map(use ->
                (use.node().equals(world.root().id()) ? "root " : "queue ")
                    + use.cell()
                    + use.used())
            .sorted()
            .toList());
    return text.toString();
  }

  private static String shown(Gpu gpu) {
    return gpu.index() + ":" + gpu.state() + ":" + gpu.allocatedMilli();
  }

  private String shown(Job job) {
    String events =
        stores
            .events()
            .of(world.tenant().id(), IdKind.JOB, job.id().value(), EventPosition.START, MOST)
            .stream()
            .map(e -> e.version() + e.fact().type())
            .collect(Collectors.joining(","));
    return "%s %s v%d attempts %d failures %d %s %s%n"
        .formatted(
            job.name(),
            job.state(),
            job.version(),
            job.run().attempts(),
            job.run().failures(),
            job.array(),
            events);
  }

  private static String shown(Attempt attempt) {
    return "%d/%d %s %s %s%n"
        .formatted(
            attempt.element(),
            attempt.number(),
            attempt.state(),
            attempt.failure() == null ? "-" : attempt.failure().cause(),
            attempt.everyMember().stream()
                .map(m -> m.role() + m.index() + m.nodeName() + m.gpus() + place(m))
                .toList());
  }

  private static String place(Member member) {
    return member.standing() == null ? "" : member.standing().place().name();
  }
}
