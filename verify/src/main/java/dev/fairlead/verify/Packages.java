package dev.fairlead.verify;

import dev.fairlead.launcher.StartFailed;
import dev.fairlead.launcher.WorkTree;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Packages of other systems, which scripts of {@code tools} download at the first use. */
public final class Packages {
  /** Exit code of a script, and of a benchmark, if the packages are unavailable. */
  static final int MISSING = 3;

  private Packages() {}

  /** The packages are unavailable here. */
  public static final class Unavailable extends Exception {
    private static final long serialVersionUID = 1L;

    Unavailable(String why) {
      super(why);
    }
  }

  /**
   * The directory with the packages.
   *
   * @param script below the root of the work tree. It prints the directory
   * @throws StartFailed when the script fails for another reason
   */
  public static Path of(String script, String... words) throws Unavailable, InterruptedException {
    try {
      List<String> line = new ArrayList<>(List.of(WorkTree.root().resolve(script).toString()));
      line.addAll(List.of(words));
      Process install = new ProcessBuilder(line).start();
      String said = all(install.inputReader(StandardCharsets.UTF_8));
      String why = all(install.errorReader(StandardCharsets.UTF_8));
      int code = install.waitFor();
      if (code == MISSING) {
        throw new Unavailable(why);
      }
      if (code != 0) {
        throw new StartFailed(script + " ended with code " + code + ": " + why);
      }
      return Path.of(said);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private static String all(BufferedReader from) throws IOException {
    try (from) {
      return from.readAllAsString().strip();
    }
  }
}
