package dev.fairlead.work.launcher;

import static dev.fairlead.kernel.text.Texts.output;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script of the launcher {@code mpi} in images without the MPI that it needs. */
class MpiLaunchTest {
  private static final String SCRIPT = "mpi-launch";
  private static final List<String> TOOLS = List.of("sh", "grep");

  @TempDir private Path image;

  @BeforeEach
  void anImageWithoutMpi() throws IOException {
    for (String tool : TOOLS) {
      Files.createSymbolicLink(image.resolve(tool), Path.of("/bin", tool));
    }
  }

  private record End(int code, String output) {}

  private End launch() throws IOException, InterruptedException {
    Path script = Files.writeString(image.resolve(SCRIPT), Launchers.of("mpi").files().get(SCRIPT));
    ProcessBuilder process =
        new ProcessBuilder(image.resolve("sh").toString(), script.toString(), "./solver")
            .redirectErrorStream(true);
    process.environment().clear();
    process.environment().put("PATH", image.toString());
    process.environment().put("FAIRLEAD_GPUS", "0");
    Process launched = process.start();
    String output =
        new String(launched.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(launched.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new End(launched.exitValue(), output);
  }

  @Test
  void imageWithoutMpiIsNamedWithTheProgramToInstall() throws Exception {
    End end = launch();
    assertThat(end.code()).isEqualTo(127);
    assertThat(end.output()).satisfies(output("launcher-mpi.image-has-mpiexec"));
  }

  @Test
  void imageWithTheWrongMpiIsReportedWithTheMpiThatItNeeds() throws Exception {
    Path other = image.resolve("mpiexec");
    Files.writeString(other, "#!" + image + "/sh\necho 'mpirun (Open MPI) 5.0.8'\n");
    assertThat(other.toFile().setExecutable(true)).isTrue();

    End end = launch();
    assertThat(end.code()).isEqualTo(78);
    assertThat(end.output()).satisfies(output("launcher-mpi.hydra-image-needs", other));
  }
}
