package dev.fairlead.kernel.shell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.spec.RetryPolicy;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Compares docs/reference/configuration.md with the code. */
class ConfigurationDocsTest {
  private static final Path ROOT = Path.of(System.getProperty("fairlead.root", ".."));
  private static final Pattern IN_CODE = Pattern.compile("\\$\\{(FAIRLEAD_[A-Z_]+):([^}]*)}");
  private static final Pattern IN_DOCS =
      Pattern.compile("(?m)^\\| (`FAIRLEAD_[^|]*) \\| ([^|]*) \\|");

  static String read(String file) throws IOException {
    return Files.readString(ROOT.resolve(file));
  }

  private static Map<String, String> used() throws IOException {
    Map<String, String> used = new TreeMap<>();
    for (String file :
        new String[] {
          "api/src/main/resources/application.yaml",
          "persistence/src/main/resources/fairlead-persistence.properties"
        }) {
      Matcher variable = IN_CODE.matcher(read(file));
      while (variable.find()) {
        used.put(variable.group(1), variable.group(2));
      }
    }
    return used;
  }

  /** Default by variable, from the first table. */
  private static Map<String, String> documented() throws IOException {
    String text = read("docs/reference/configuration.md");
    Map<String, String> documented = new TreeMap<>();
    Matcher row = IN_DOCS.matcher(text.substring(0, text.indexOf("## Properties")));
    while (row.find()) {
      String[] names = row.group(1).replace("`", "").split(", ");
      String[] defaults =
          names.length == 1 ? new String[] {row.group(2)} : row.group(2).split(", ");
      for (int i = 0; i < names.length; i++) {
        String value = defaults[i].replace("`", "");
        documented.put(names[i], value.equals("none") || value.equals("empty") ? "" : value);
      }
    }
    return documented;
  }

  @Test
  void everyVariableIsDocumentedWithItsDefault() throws IOException {
    assertThat(documented()).isEqualTo(used()).hasSizeGreaterThan(7);
  }

  @Test
  void jobDefaultsMatchTheCode() throws IOException {
    String text = read("docs/reference/configuration.md");
    for (PriorityClass c : PriorityClass.values()) {
      assertThat(text).contains("`" + c.wire() + "` " + c.value());
    }
    assertThat(text).contains(RetryPolicy.DEFAULT.maxAttempts() + " attempts on");
    RetryPolicy.DEFAULT.on().forEach(cause -> assertThat(text).contains("`" + cause + "`"));
    WorkloadTimeouts times = WorkloadTimeouts.DEFAULT;
    assertThat(text)
        .contains(
            "%d min, %d min, %d s"
                .formatted(
                    times.gangStart().toMinutes(),
                    times.imagePull().toMinutes(),
                    times.imageError().toSeconds()));
  }
}
