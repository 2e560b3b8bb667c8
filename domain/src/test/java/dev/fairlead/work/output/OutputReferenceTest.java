package dev.fairlead.work.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.ContainerSpec;
import dev.fairlead.work.spec.ExtraContainers;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputReferenceTest {
  @Test
  void referenceNamesAJobAndItsOutput() {
    assertThat(OutputReference.of("${outputs.prep-2.best-model}"))
        .contains(new OutputReference("prep-2", "best-model"));
    assertThat(OutputReference.of("${outputs.job_01k00000000000000000000000.model}").orElseThrow())
        .extracting(OutputReference::text)
        .isEqualTo("${outputs.job_01k00000000000000000000000.model}");
  }

  /** Fails when a value replaces a part of a longer text. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "x${outputs.prep.model}",
        "${outputs.prep.model}/weights",
        "${outputs.prep.model}${outputs.prep.rows}",
        "${outputs.prep}",
        "${outputs.Prep.model}",
        "${outputs.prep.7}",
        "${outputs.prep.model.x}",
        "${outputs..model}",
        "${outputs.prep.model} ",
        "${outputs.prep.model}\n"
      })
  void referenceWithSurroundingTextIsRejected(String text) {
    assertThat(OutputReference.of(text)).isEmpty();
    assertThat(OutputReference.begins(text)).isTrue();
  }

  @Test
  void otherExpressionsAreNotReferences() {
    for (String text : List.of("$(outputs.a.b)", "${parameters.a}", "$outputs.a.b", "")) {
      assertThat(OutputReference.begins(text)).as(text).isFalse();
    }
  }

  /**
   * Fails when an escaped text is refused as a reference, or reaches the program with its escape.
   */
  @Test
  void twoDollarsBeginText() {
    String text = "a=$${outputs.prep.model} $$${outputs.x}";
    assertThat(OutputReference.begins(text)).isFalse();
    assertThat(OutputReference.of("$${outputs.prep.model}")).isEmpty();
    assertThat(OutputReference.unescaped(text)).isEqualTo("a=${outputs.prep.model} $${outputs.x}");
    assertThat(OutputReference.begins(text + "${outputs.prep.model}")).isTrue();
  }

  /** Fails when the scheduler does not see a reference, or reads all variables of a job. */
  @Test
  void decisionReadsReferencesAndNoOtherPartOfTheProgram() {
    RoleSpec role =
        Specs.job("train").env("E", "${outputs.prep.e}").env("F", "f").build().roles().getFirst();
    JobSpec decided = Specs.job("train").build().with(List.of(role)).decided();
    assertThat(OutputReference.all(decided)).containsExactly(new OutputReference("prep", "e"));
    assertThat(decided.roles().getFirst().env()).containsOnlyKeys("E");
    assertThat(Specs.job("plain").env("F", "f").build().decided().roles().getFirst().env())
        .isEmpty();
  }

  /** Fails when a reference in any container of a role is not checked at the submit. */
  @Test
  void variablesAndArgumentsOfAllContainersAreRead() {
    CommandSpec command =
        new CommandSpec(List.of("a", "${outputs.prep.a}"), List.of("${outputs.prep.b}"), false);
    ContainerSpec fetch =
        new ContainerSpec(
            "fetch",
            "x",
            CommandSpec.exec(List.of("${outputs.prep.c}")),
            new TreeMap<>(Map.of("D", "${outputs.prep.d}")),
            100,
            256,
            null,
            List.of());
    RoleSpec role = Specs.job("train").env("E", "${outputs.prep.e}").build().roles().getFirst();
    RoleSpec full =
        new RoleSpec(
            "worker",
            1,
            1,
            role.image(),
            command,
            role.env(),
            role.secretEnv(),
            GpuRequest.NONE,
            role.cpuMilli(),
            role.memoryMiB(),
            role.shmMiB(),
            false,
            null,
            new ExtraContainers(List.of(fetch), List.of(fetch)));
    JobSpec one = Specs.job("train").build().with(List.of(full));
    assertThat(OutputReference.uses(one))
        .extracting(OutputReference.Use::pointer)
        .containsExactly(
            "/env/E",
            "/command/1",
            "/args/0",
            "/initContainers/0/env/D",
            "/initContainers/0/command/0",
            "/sidecars/0/env/D",
            "/sidecars/0/command/0");
    assertThat(OutputReference.uses(one.with(List.of(role, full))))
        .hasSize(8)
        .extracting(OutputReference.Use::pointer)
        .contains("/roles/0/env/E", "/roles/1/sidecars/0/command/0");
  }
}
