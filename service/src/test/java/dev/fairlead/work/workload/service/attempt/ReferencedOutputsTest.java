package dev.fairlead.work.workload.service.attempt;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.output.Outputs;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.JobSpec.Dependency.Condition;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ReferencedOutputsTest {
  private static final String MODEL = "${outputs.prep.model}";
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);

  private void report(Attempt attempt, String value) {
    stores
        .outputs()
        .write(
            world.tenant().id(),
            attempt.job(),
            attempt.id(),
            new TreeMap<>(Map.of("model", value)));
  }

  private Job prepared(String value) {
    Job prep = world.submit(Specs.job("prep").outputs("model"));
    Attempt attempt = world.run(world.place(prep));
    report(attempt, value);
    world.succeed(attempt);
    return prep;
  }

  private ReferencedOutputs read(Job prep, String... references) {
    Specs spec = Specs.job(world.uniqueName("train")).dependsOn(prep, Condition.SUCCEEDED);
    for (int i = 0; i < references.length; i++) {
      spec.env("V" + i, references[i]);
    }
    return read(world.submit(spec));
  }

  private ReferencedOutputs read(Job job) {
    return ReferencedOutputs.read(stores.jobs(), stores.outputs(), job);
  }

  /** Fails when a value is changed in transit, or printed with its record. */
  @Test
  void aReferenceByNameOrIdHasTheExactValue() {
    String exact = "a\n$(HOME) ${outputs.prep.model} \u00e9";
    Job prep = prepared(exact);
    String byId = "${outputs.%s.model}".formatted(prep.id().text());
    ReferencedOutputs read = read(prep, MODEL, byId);
    assertThat(read.trouble()).isNull();
    assertThat(read.values())
        .containsEntry(MODEL, new Secret(exact))
        .containsEntry(byId, new Secret(exact));
    assertThat(read.toString()).doesNotContain("HOME");
  }

  /** Fails when a job starts with the text of the reference, or with outputs of an old attempt. */
  @Test
  void outputMissingFromTheNewestAttemptIsMissing() {
    Job prep = world.submit(Specs.job("prep").outputs("model"));
    Attempt first = world.run(world.place(prep));
    report(first, "old");
    world.fail(first, FailureCause.NODE_FAILURE);
    world.succeed(world.run(world.place(world.job(prep))));
    ReferencedOutputs read = read(prep, MODEL);
    assertThat(read.values()).isEmpty();
    assertThat(read.trouble())
        .isEqualTo(
            new ReferencedOutputs.Trouble(
                FailureCause.OUTPUT_MISSING,
                "no value exists for ${outputs.prep.model}: job prep ended as SUCCEEDED"
                    + " without reporting it"));
  }

  @Test
  void anOutputOfADeletedJobIsMissing() {
    Job prep = world.newJob(Specs.job("prep").outputs("model").build());
    assertThat(read(prep, MODEL).trouble().why())
        .satisfies(reason("referenced-outputs.job-prep-longer-exists"));
  }

  /** Fails when the outputs of a job are read without the check of its project. */
  @Test
  void noOutputOfAnotherProjectIsRead() {
    Job prep = prepared("secret");
    Project other = world.newProject("other");
    stores.tenants().insert(other);
    JobSpec spec =
        Specs.job("thief")
            .env("V", MODEL)
            .build()
            .needing(List.of(new Dependency(prep.id(), Condition.SUCCEEDED)));
    ReferencedOutputs read = read(world.submit(world.newJob(spec, other, world.queue())));
    assertThat(read.values()).isEmpty();
    assertThat(read.trouble().cause()).isEqualTo(FailureCause.OUTPUT_MISSING);
  }

  /** Fails when one large output, referenced often, makes a pod that no cluster stores. */
  @Test
  void theValuesOfARoleHaveABound() {
    int half = Outputs.MOST_REFERENCED_BYTES / 2;
    Job prep = prepared("x".repeat(half));
    assertThat(read(prep, MODEL, MODEL).trouble()).isNull();
    ReferencedOutputs three = read(world.job(prep), MODEL, MODEL, MODEL);
    assertThat(three.values()).isEmpty();
    assertThat(three.trouble().cause()).isEqualTo(FailureCause.CONFIGURATION);
    assertThat(three.trouble().why()).contains("98304 bytes", "65536");
  }
}
