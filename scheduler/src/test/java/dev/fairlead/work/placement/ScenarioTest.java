package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every file of {@code scenarios} lists the decisions of the engine, line by line. With {@code
 * -Dfairlead.update=true} the files are rewritten from its decisions.
 */
class ScenarioTest {
  private static final Path FOLDER = Path.of("src/test/resources/scenarios");

  static Stream<Path> stories() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("stories")
  void engineFollowsTheScenario(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    List<String> retold = StoryFile.retold(lines);
    if (Boolean.getBoolean("fairlead.update")) {
      Files.write(file, retold);
    } else {
      assertThat(retold).isEqualTo(lines);
    }
  }
}
