package dev.fairlead.work.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class OutputStoreContract {
  private Stores stores;
  private TestWorld world;
  private OutputStore outputs;
  private Job job;

  protected abstract Stores stores();

  @BeforeEach
  void aJobWithOutputs() {
    stores = stores();
    world = TestWorld.in(stores);
    outputs = stores.outputs();
    job = world.submit(Specs.job("prep").outputs("model", "rows"));
  }

  private Optional<SortedMap<String, String>> lock(TenantId tenant, Attempt attempt) {
    return stores.transactions().call(() -> outputs.lock(tenant, attempt.job(), attempt.id()));
  }

  private void write(TenantId tenant, Attempt attempt, SortedMap<String, String> values) {
    stores
        .transactions()
        .run(() -> {
          outputs.lock(tenant, attempt.job(), attempt.id());
          outputs.write(tenant, attempt.job(), attempt.id(), values);
        });
  }

  private SortedMap<String, String> of(Attempt attempt) {
    return outputs.of(job.tenant(), attempt.job(), attempt.id());
  }

  private static SortedMap<String, String> values(String... pairs) {
    SortedMap<String, String> values = new TreeMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      values.put(pairs[i], pairs[i + 1]);
    }
    return values;
  }

  /** Fails when a value is changed in transit, or the outputs of two attempts are stored. */
  @Test
  void aJobHasTheOutputsOfOneAttempt() {
    Attempt first = world.run(world.place(job));
    assertThat(lock(job.tenant(), first)).contains(values());
    SortedMap<String, String> exact =
        values("model", " s3://bucket/\"x\"\n\u00e9\ud83d\ude00$(id) ", "rows", "");
    write(job.tenant(), first, exact);
    assertThat(of(first)).isEqualTo(exact);
    assertThat(lock(job.tenant(), first)).contains(exact);

    world.fail(first, FailureCause.NODE_FAILURE);
    assertThat(of(first)).as("of the last attempt until the next reports some").isEqualTo(exact);
    Attempt second = world.run(world.place(world.job(job)));
    assertThat(of(second)).isEmpty();
    write(job.tenant(), second, values("model", "b"));
    assertThat(of(first)).isEmpty();
    assertThat(of(second)).isEqualTo(values("model", "b"));

    world.succeed(second);
    assertThat(lock(job.tenant(), second)).as("the outputs of an ended job are final").isEmpty();
    assertThat(of(second)).isEqualTo(values("model", "b"));
  }

  /** Fails when the names of an earlier attempt count for a later attempt. */
  @Test
  void outputNamesOfTheNewestAttemptAreRead() {
    Job silent = world.submit(Specs.job("silent").outputs("model"));
    Attempt first = world.run(world.place(job));
    write(job.tenant(), first, values("model", "a", "rows", "7"));
    assertThat(outputs.names(List.of(job.id(), silent.id())))
        .isEqualTo(Map.of(job.id(), Set.of("model", "rows")));

    world.fail(first, FailureCause.NODE_FAILURE);
    Attempt second = world.run(world.place(world.job(job)));
    assertThat(outputs.names(List.of(job.id()))).isEmpty();
    write(job.tenant(), second, values("rows", "8"));
    assertThat(outputs.names(List.of(job.id()))).isEqualTo(Map.of(job.id(), Set.of("rows")));
    assertThat(outputs.names(List.of(silent.id()))).isEmpty();
  }

  /**
   * Fails when a tenant reads or writes outputs of another tenant, or a job outputs of another job.
   */
  @Test
  void outputsBelongToTheJobOfTheirTenant() {
    Attempt attempt = world.run(world.place(job));
    write(job.tenant(), attempt, values("model", "a"));
    TenantId other = new TenantId(stores.ids().next());
    assertThat(lock(other, attempt)).isEmpty();
    write(other, attempt, values("model", "b"));
    assertThat(outputs.of(other, job.id(), attempt.id())).isEmpty();
    Job sibling = world.submit(Specs.job("sibling"));
    assertThat(outputs.of(job.tenant(), sibling.id(), attempt.id())).isEmpty();
    assertThat(of(attempt)).isEqualTo(values("model", "a"));
  }
}
