package dev.fairlead.work.job.web.spec;

import static dev.fairlead.work.job.web.spec.Specs.problems;
import static dev.fairlead.work.job.web.spec.Specs.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.work.spec.GangRepairSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Valid fields that the launcher of the job excludes. */
class LauncherRulesTest {
  /** Fails when TF_CONFIG grows beyond what Linux allows for a variable. */
  @Test
  void launcherThatListsAllMembersIsLimitedInSize() {
    String gang =
        "image: x\nrun: x\nlauncher: tensorflow\nroles: [{name: worker, count: %d, image: x}]\n";
    assertThat(problems(gang.formatted(1_001)))
        .anySatisfy(p -> assertThat(p.code()).isEqualTo(ProblemCode.LIMIT_EXCEEDED));
    assertThat(spec(gang.formatted(1_000)).launcher()).isEqualTo("tensorflow");
  }

  @Test
  void aLauncherOfFixedGangsRefusesAnElasticJob() {
    assertThat(problems("image: x\nlauncher: jax\nworkers: 4\nminWorkers: 2\n"))
        .anySatisfy(p -> {
          assertThat(p.pointer()).isEqualTo("/launcher");
          assertThat(p.code()).isEqualTo(ProblemCode.CONFLICTING_FIELDS);
        });
  }

  @ParameterizedTest
  @CsvSource({
    "torchrun,PET_NNODES",
    "jax,JAX_PROCESS_ID",
    "mpi,MPIEXEC_PORT_RANGE",
    "tensorflow,TF_CONFIG",
    "ray,RAY_ADDRESS"
  })
  void launcherVariableIsRejected(String launcher, String name) {
    assertThat(problems("image: x\nrun: x\nlauncher: %s\nenv: {%s: x}\n".formatted(launcher, name)))
        .anySatisfy(p -> assertThat(p.code()).isEqualTo(ProblemCode.RESERVED_NAME));
    assertThat(spec("image: x\nrun: x\nenv: {%s: x}\n".formatted(name)).launcher())
        .isEqualTo("none");
  }

  /** Fails when a job is promised a repair that it cannot have. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "workers: 1",
        "workers: 4\nminWorkers: 2",
        "workers: 4\nsegment: {size: 2, level: rack}",
        "workers: 4\nonUnreachable: AFTER_DEADLINE\nmaxRuntime: 1h",
        "workers: 4\ngpu: 8\npreflight: {test: dcgm}"
      })
  void gangRepairIsRejectedWithConflictingFields(String fields) {
    String asked = "image: x\nrun: train.py\nlauncher: torchrun\ngangRepair: {max: 3}\n";

    assertThat(problems(asked + fields))
        .extracting(FieldProblem::pointer)
        .containsExactly("/gangRepair");
    assertThat(Specs.spec(asked + "workers: 4").gangRepair()).isEqualTo(new GangRepairSpec(3));
  }

  @Test
  void torchrunsVariablesAreReservedOnlyWithTorchrun() {
    assertThat(
            Specs.spec("image: x\nenv: {MASTER_ADDR: a, WORLD_SIZE: b}").roles().getFirst().env())
        .hasSize(2);
    assertThat(
            problems("image: x\nlauncher: torchrun\nrun: a\nenv: {MASTER_ADDR: a, WORLD_SIZE: b}"))
        .extracting(FieldProblem::code)
        .containsExactly(ProblemCode.RESERVED_NAME, ProblemCode.RESERVED_NAME);
  }

  /** Fails when a launcher's own rules are checked only after every other problem is repaired. */
  @Test
  void aRuleOfTheLauncherIsReportedWithOtherProblems() {
    assertThat(
            problems(
                "image: x\nlauncher: torchrun\nrun: a\nworkers: 0\nenv: {MASTER_ADDR: a, '1': b}"))
        .extracting(FieldProblem::pointer)
        .containsExactlyInAnyOrder("/workers", "/env/MASTER_ADDR", "/env/1");
  }
}
