package dev.fairlead.work.job.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.kernel.transaction.UnknownOutcome;
import dev.fairlead.work.job.service.query.Submitted;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Single submits that arrive while another of their caller and project is being stored. */
class GatheredSubmitsTest extends SubmitFixture {
  private static final long BOUND_SECONDS = 60;
  private final Held held = new Held();
  private final JobCommands gathered = commands(held);

  /** The first transaction waits until it may end. The second may lose its commit. */
  private final class Held implements Transactions {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final AtomicInteger calls = new AtomicInteger();
    private volatile boolean losesTheSecond;

    @Override
    public <T> T call(Supplier<T> work) {
      int call = calls.incrementAndGet();
      if (call == 1) {
        begun.countDown();
        await(mayEnd);
      }
      T done = stores.transactions().call(work);
      if (call == 2 && losesTheSecond) {
        throw new UnknownOutcome(new IllegalStateException("connection lost"));
      }
      return done;
    }

    @Override
    public <T> T callFenced(HeldLease lease, Supplier<T> work) {
      return stores.transactions().callFenced(lease, work);
    }

    @Override
    public <T> T read(Supplier<T> work) {
      return stores.transactions().read(work);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException stopped) {
      throw new IllegalStateException(stopped);
    }
  }

  private record Wanted(String name, RequestKey key) {}

  private static Wanted job(String name) {
    return new Wanted(name, null);
  }

  /** Submits "first" and, while it is being stored, these in their order. */
  private List<Object> together(Wanted... others) throws Exception {
    List<Future<Submitted>> calls = new ArrayList<>();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      calls.add(threads.submit(() -> submitted(job("first"))));
      await(held.begun);
      for (Wanted other : others) {
        calls.add(threads.submit(() -> submitted(other)));
        while (gathered.waiting(ana, world.project().name()) < calls.size() - 1) {
          Thread.onSpinWait();
        }
      }
      held.mayEnd.countDown();
      List<Object> answers = new ArrayList<>();
      for (Future<Submitted> call : calls) {
        answers.add(answer(call));
      }
      return answers;
    }
  }

  private Submitted submitted(Wanted wanted) {
    return gathered.submit(ana, world.project().name(), named(wanted.name()), wanted.key(), false);
  }

  private static Object answer(Future<Submitted> call) throws Exception {
    try {
      return call.get(BOUND_SECONDS, TimeUnit.SECONDS).job().name();
    } catch (ExecutionException failed) {
      return failed.getCause() instanceof Refusal refusal ? refusal.code() : failed.getCause();
    }
  }

  /** Fails when each is stored separately. */
  @Test
  void concurrentSubmitsAreStoredInOneTransactionWithAnAuditRowEach() throws Exception {
    assertThat(together(job("a"), job("b"), job("c"))).containsExactly("first", "a", "b", "c");
    assertThat(held.calls).hasValue(2);
    assertThat(stored()).isEqualTo(4);
  }

  /** Fails when a refusal applies to all. */
  @Test
  void rejectedSubmitDoesNotFailTheOthers() throws Exception {
    assertThat(together(job("a"), job("a"), job("first"), job("b")))
        .containsExactly("first", "a", ProblemCode.NAME_IN_USE, ProblemCode.NAME_IN_USE, "b");
    assertThat(stored()).isEqualTo(3);
  }

  /** Fails when the second is stored as well, or answered before the first. */
  @Test
  void duplicateKeyHasOneEffect() throws Exception {
    RequestKey key = new RequestKey("key", "hash");
    assertThat(together(new Wanted("a", key), new Wanted("a", key), job("b")))
        .containsExactly("first", "a", "a", "b");
    assertThat(stored()).isEqualTo(3);
  }

  @Test
  void keyWithAnotherBodyIsRejectedAlone() throws Exception {
    assertThat(submit("a", new RequestKey("key", "hash")).job().name()).isEqualTo("a");
    assertThat(
            together(
                new Wanted("x", new RequestKey("key", "another")),
                new Wanted("b", new RequestKey("other", "hash")),
                job("c")))
        .containsExactly("first", ProblemCode.IDEMPOTENCY_KEY_REUSED, "b", "c");
    assertThat(stored()).isEqualTo(4);
  }

  /** Fails when one submit over the limit rejects the other submits. */
  @Test
  void submitsAboveALimitStoreThoseThatFit() throws Exception {
    limit(world.project(), 3);
    List<Object> answers = together(job("a"), job("b"), job("c"), job("d"));
    assertThat(answers).filteredOn(String.class::isInstance).hasSize(3);
    assertThat(answers)
        .filteredOn(ProblemCode.class::isInstance)
        .hasSize(2)
        .containsOnly(ProblemCode.LIMIT_EXCEEDED);
    assertThat(stored()).isEqualTo(3);
  }

  /** Fails when those without a key are written again, or answered with an error. */
  @Test
  void eachSubmitOfALostCommitResponseIsFound() throws Exception {
    held.losesTheSecond = true;
    assertThat(together(job("a"), new Wanted("b", new RequestKey("key", "hash"))))
        .containsExactly("first", "a", "b");
    assertThat(stored()).isEqualTo(3);
  }
}
