package dev.fairlead.work.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaunchersTest {
  private static final MemberValues SECOND_WORKER =
      new MemberValues(
          "worker",
          1,
          8,
          12,
          1_073_741_824,
          "a1",
          "chief-0.gang",
          "/hosts",
          3,
          3,
          1_000,
          new MemberValues.Gang(2, 17),
          new TreeMap<>(
              Map.of(
                  "chief", List.of("chief-0.gang"),
                  "worker", List.of("worker-0.gang", "worker-1.gang"))));

  @AfterEach
  void shippedOnly() {
    Launchers.extend(new TreeMap<>());
  }

  private static SortedMap<String, String> variables(String launcher) {
    return SECOND_WORKER.variables(Launchers.of(launcher), false);
  }

  /** Fails when the file of a launcher is missing in the index, and jobs with it are refused. */
  @Test
  void eachShippedFileIsALauncher() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("src/main/resources/launchers"))) {
      assertThat(Launchers.all())
          .extracting(launcher -> launcher.name() + ".yaml")
          .containsExactlyInAnyOrderElementsOf(
              files
                  .filter(Files::isRegularFile)
                  .map(file -> file.getFileName().toString())
                  .filter(name -> !name.equals("index"))
                  .toList());
    }
  }

  @Test
  void jaxReceivesItsCoordinatorSizeAndProcess() {
    assertThat(variables("jax"))
        .containsEntry("JAX_COORDINATOR_ADDRESS", "chief-0.gang:29500")
        .containsEntry("JAX_NUM_PROCESSES", "3")
        .containsEntry("JAX_PROCESS_ID", "2");
  }

  @Test
  void tensorflowReceivesTheAddressesOfEachRole() {
    assertThat(variables("tensorflow"))
        .containsEntry(
            "TF_CONFIG",
            "{\"cluster\": {\"chief\": [\"chief-0.gang:2222\"], \"worker\":"
                + " [\"worker-0.gang:2222\", \"worker-1.gang:2222\"]}, \"task\": {\"type\":"
                + " \"worker\", \"index\": 1}}");
  }

  @Test
  void deepspeedIsStartedByTorchrunWithoutSsh() {
    assertThat(SECOND_WORKER.wrapper(Launchers.of("deepspeed"))).containsExactly("torchrun");
    assertThat(variables("deepspeed"))
        .containsEntry("MASTER_ADDR", "chief-0.gang")
        .containsEntry("WORLD_SIZE", "17")
        .containsEntry("PET_NODE_RANK", "2")
        .containsEntry("PET_NPROC_PER_NODE", "8")
        .containsEntry("DLTS_HOSTFILE", "/hosts");
  }

  @Test
  void mpiStartsItsScriptInEveryMember() {
    assertThat(SECOND_WORKER.wrapper(Launchers.of("mpi")))
        .containsExactly("sh", "/var/run/fairlead/launcher/mpi-launch");
    assertThat(Launchers.of("mpi").files().get("mpi-launch")).startsWith("#!/bin/sh\n");
    assertThat(variables("mpi")).containsEntry("MPIEXEC_PORT_RANGE", "29500:29500");
  }

  @Test
  void rayStartsEachMemberWithItsResources() {
    Launcher ray = Launchers.of("ray");

    assertThat(SECOND_WORKER.wrapper(ray))
        .containsExactly(
            "python3",
            "/var/run/fairlead/launcher/ray-launch",
            "3",
            "12",
            "1073741824",
            "6379",
            "8265",
            "6380");
    assertThat(variables("ray")).containsEntry("RAY_ADDRESS", "chief-0.gang:6379");
    assertThat(ray.reserves("RAY_ADDRESS")).isTrue();
    assertThat(ray.reserves("RAY_USAGE_STATS_ENABLED")).isFalse();
  }

  /** Fails when a gang that may lose members starts Ray in another way. */
  @Test
  void rayAllowsElasticGangsAndReplacedMembers() {
    Launcher ray = Launchers.of("ray");

    assertThat(ray.resizes()).isTrue();
    assertThat(ray.repairs()).isTrue();
    assertThat(ray.variables(true, true)).isEqualTo(ray.env());
  }

  /** Fails when a new launcher needs more than its file. */
  @Test
  void anOperatorAddsALauncherByAFile() {
    Launchers.extend(
        new TreeMap<>(
            Map.of(
                "horovod.yaml",
                "name: horovod\ndescription: One process a member\nports: {main: 4000}\nenv:"
                    + " {HVD: '${rank}/${members}@${host(chief,0)}:${port.main}'}\nreserved:"
                    + " [HVD]\n")));

    assertThat(variables("horovod")).containsExactly(Map.entry("HVD", "2/3@chief-0.gang:4000"));
    assertThat(Launchers.of("horovod").reserves("HVD")).isTrue();
    assertThat(Launchers.find("torchrun")).isPresent();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "env: {A: '${user}'}                | env.A has the expression ${user}",
        "env: {A: '${port.main}'}           | env.A has the expression ${port.main}",
        "elastic: {A: '${rank}'}            | elastic.A has the expression ${rank}",
        "needsRun: true; wrapper: ['${file(start)}'] | wrapper has the expression ${file(start)}",
        "env: {LD_PRELOAD: x}               | env.LD_PRELOAD is a platform variable",
        "env: {FAIRLEAD_RANK: x}            | env.FAIRLEAD_RANK is a platform variable",
        "ports: {main: 80}                  | ports.main must be a number from 1024 to 65535",
        "privileged: true                   | privileged is not a field of a launcher",
        "repair: {A: b}                     | repair needs elastic",
        "wrapper: [start]                   | needsRun must be true with a wrapper",
        "reserved: ['(']                    | is not a regular expression",
        "files: {../up: x}                  | files must match",
        "files: {a: '${shared(none)}'}      | files.a has the shared file none",
        "run: [a]                           | run needs needsRun: true",
        "env: [A]                           | env must be a mapping"
      })
  void invalidFileIsRejectedByFileAndField(String line, String problem) {
    String yaml = "name: own\ndescription: d\n" + line.replace("; ", "\n") + "\n";

    assertThatThrownBy(() -> Launchers.extend(new TreeMap<>(Map.of("own.yaml", yaml))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("own.yaml: ")
        .hasMessageContaining(problem.strip());
  }

  /** Fails when members of an elastic gang get an empty list of their peers. */
  @Test
  void launcherPassesMembersOfElasticGangsInVariablesToo() {
    Launchers.extend(
        new TreeMap<>(
            Map.of(
                "own.yaml", "name: own\ndescription: d\nelastic: {PEERS: '${hosts(worker)}'}\n")));

    assertThat(Launchers.of("own").namesMembers()).isTrue();
    assertThat(Launchers.of("torchrun").namesMembers()).isFalse();
    assertThat(Launchers.of("tensorflow").namesMembers()).isTrue();
  }

  /** Fails when a job starts without its launcher after an operator removed the file. */
  @Test
  void aJobOfARemovedLauncherFailsWithTheReason() {
    assertThat(Launchers.of("gone").wrapper())
        .startsWith("/bin/sh", "-c")
        .last()
        .asString()
        .contains("launcher gone ", "exit 78");
  }
}
