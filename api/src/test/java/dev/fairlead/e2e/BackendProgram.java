package dev.fairlead.e2e;

import dev.fairlead.launcher.LoopbackPorts;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A scheduler next to a control plane, started by a script of {@code tools/backends}. */
final class BackendProgram {
  private final String name;
  private final Path folder;
  private final Path config;

  /**
   * @param name name of the script, without its ending
   */
  BackendProgram(String name, Path files, TestCluster cluster) {
    this.name = name;
    this.folder = files.resolve(name);
    config = folder.resolve("kubeconfig");
    try {
      Files.createDirectories(folder);
      Files.writeString(config, cluster.administratorsKubeconfig());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Returns whether the program is built, which takes minutes: {@code make backends} sets it. */
  boolean built() {
    return exit("built") == 0;
  }

  void start() {
    run("up", config.toString(), folder.toString());
  }

  void startOnAPort() {
    run("up", config.toString(), folder.toString(), Integer.toString(LoopbackPorts.anyPort()));
  }

  void stop() {
    run("down", folder.toString());
  }

  /** Stops the process with STOP, until it continues with CONT. */
  void signal(String name) {
    try {
      long pid = Long.parseLong(Files.readString(folder.resolve("pid")).strip());
      int code = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
      if (code != 0) {
        throw new IllegalStateException("no process " + pid);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopped);
    }
  }

  private void run(String... arguments) {
    int code = exit(arguments);
    if (code != 0) {
      throw new IllegalStateException(String.join(" ", arguments) + " ended with " + code);
    }
  }

  private int exit(String... arguments) {
    ProcessBuilder builder = new ProcessBuilder();
    builder.command().add(root().resolve("tools/backends/" + name + ".sh").toString());
    builder.command().addAll(List.of(arguments));
    builder.environment().put("KUBECTL", kubectl());
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    try {
      return builder.start().waitFor();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopped);
    }
  }

  private static String kubectl() {
    String state =
        System.getenv().getOrDefault("XDG_CACHE_HOME", System.getenv("HOME") + "/.cache");
    return state + "/fairlead-k8s/bin/kubectl";
  }

  private static Path root() {
    File here = new File("").getAbsoluteFile();
    while (here != null && !new File(here, "tools/backends").isDirectory()) {
      here = here.getParentFile();
    }
    if (here == null) {
      throw new IllegalStateException("no tools/backends above the working directory");
    }
    return here.toPath();
  }
}
