package dev.fairlead.work.job.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.kernel.transaction.UnknownOutcome;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.service.query.Submitted;
import dev.fairlead.work.job.service.submit.BatchResult;
import dev.fairlead.work.job.service.submit.NewJob;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Submits whose commit is lost, or which lose a race for a name. */
class RacedSubmitsTest extends SubmitFixture {

  /** Loses the database during the next commit. */
  private final class Lossy implements Transactions {
    private final boolean stored;
    private boolean lost;

    Lossy(boolean stored) {
      this.stored = stored;
    }

    @Override
    public <T> T call(Supplier<T> work) {
      if (lost) {
        return stores.transactions().call(work);
      }
      lost = true;
      if (stored) {
        T unanswered = stores.transactions().call(work);
        assertThat(unanswered).isNotNull();
      }
      throw new UnknownOutcome(new IllegalStateException("connection lost"));
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

  private Submitted submitOver(Lossy lossy, RequestKey key) {
    return commands(lossy).submit(ana, world.project().name(), named("a"), key, false);
  }

  /** Fails when the request is only answered with an error. */
  @Test
  void lostCommitResponseIsResolvedByTheJobId() {
    Submitted submitted = submitOver(new Lossy(true), null);
    assertThat(world.job(submitted.job()).name()).isEqualTo("a");
    assertThat(stored()).isEqualTo(1);
  }

  /** Fails when the key is not read before the job is written again. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCommitOfUnknownOutcomeIsResolvedByItsKey(boolean committed) {
    RequestKey key = new RequestKey("key", "hash");
    Submitted submitted = submitOver(new Lossy(committed), key);
    assertThat(stored()).isEqualTo(1);
    assertThat(submit("a", key).job().id()).isEqualTo(submitted.job().id());
  }

  /** The first transaction finds a name that was just taken, and the same request is repeated. */
  private final class Raced implements Transactions {
    private final Runnable again;
    private int calls;

    Raced(Runnable again) {
      this.again = again;
    }

    @Override
    public <T> T call(Supplier<T> work) {
      calls++;
      if (calls == 1) {
        return stores
            .transactions()
            .call(() -> {
              assertThat(work.get()).isNotNull();
              throw new Conflict(Conflict.Guard.NAME_TAKEN, "nightly");
            });
      }
      if (calls == 2) {
        again.run();
      }
      return stores.transactions().call(work);
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

  @Test
  void batchThatLosesANameAndRetriesWithItsKeyHasOneEffect() {
    // Fails when items are stored after the race without holding the key.
    RequestKey key = new RequestKey("key", "hash");
    List<NewJob> wanted = List.of(named(""), named("nightly"), named(""));
    Supplier<List<BatchResult>> repeated =
        () -> commands.submitAll(ana, world.project().name(), wanted, false, key, false);

    List<BatchResult> first =
        commands(new Raced(() -> assertThat(repeated.get()).hasSize(3)))
            .submitAll(ana, world.project().name(), wanted, false, key, false);

    assertThat(stored()).isEqualTo(3);
    assertThat(ids(repeated.get())).isEqualTo(ids(first));
  }

  @Test
  void batchThatLosesANameIsStoredWithoutItInOneTransaction() {
    Runnable other = () -> submit("nightly", null);
    List<NewJob> wanted = List.of(named(""), named("nightly"), named(""));

    List<BatchResult> results =
        commands(new Raced(other))
            .submitAll(ana, world.project().name(), wanted, false, null, false);

    assertThat(results)
        .filteredOn(BatchResult.Refused.class::isInstance)
        .extracting(BatchResult::index)
        .containsExactly(1);
    assertThat(stored()).isEqualTo(3);
  }

  private static List<String> ids(List<BatchResult> results) {
    return results.stream()
        .map(r -> ((BatchResult.Accepted) r).submitted().job().id().text())
        .toList();
  }

  /** Fails when a submit without a name is refused because of one. */
  @Test
  void generatedNameTakenByAConcurrentRequestIsReplaced() {
    Job job =
        commands(new Raced(() -> {}))
            .submit(ana, world.project().name(), named(""), null, false)
            .job();
    assertThat(world.job(job).state()).isEqualTo(JobState.QUEUED);
    JobCommands raced = commands(new Raced(() -> {}));
    assertRefused(
        () -> raced.submit(ana, world.project().name(), named("nightly"), null, false),
        ProblemCode.NAME_IN_USE);
  }
}
