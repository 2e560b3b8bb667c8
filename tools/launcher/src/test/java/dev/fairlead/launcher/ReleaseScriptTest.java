package dev.fairlead.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ReleaseScriptTest {
  /** Fails when a launcher moves to another package, and the release still starts the old name. */
  @Test
  void releaseStartsExistingLaunchers() throws Exception {
    String script = Files.readString(WorkTree.root().resolve("tools/dist/fairlead-server"));
    List<String> names =
        Pattern.compile("\\blaunch ([\\w.]+)")
            .matcher(script)
            .results()
            .map(m -> m.group(1))
            .toList();
    assertThat(names).hasSizeGreaterThanOrEqualTo(2);
    for (String name : names) {
      assertThat(Class.forName("dev.fairlead.launcher." + name)).hasDeclaredMethods("main");
    }
  }
}
