package dev.fairlead.kernel.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the file, or writes it with {@code -Dfairlead.update=true}. */
@Tag("generated-docs")
class StateMachineDocsTest {
  private static final Path ROOT = Path.of(System.getProperty("fairlead.root", ".."));

  @Test
  void committedPageMatchesTheTables() throws IOException {
    if (Boolean.getBoolean("fairlead.update")) {
      StateMachineDocs.main(new String[] {ROOT.toString()});
    }

    assertThat(Files.readString(StateMachineDocs.file(ROOT)))
        .as("docs/reference/events.md is out of date: run `make docs` and commit it")
        .isEqualTo(StateMachineDocs.text(ROOT));
  }

  @Test
  void everyStateNamesItsExitActor() throws IOException {
    String page = StateMachineDocs.text(ROOT);

    assertThat(page.substring(page.indexOf("## State machines")).lines())
        .anyMatch(line -> line.startsWith("| `QUEUED` | Waits"))
        .noneMatch(line -> line.matches("\\| `[A-Z_]+` \\| {2}\\|.*"));
  }
}
