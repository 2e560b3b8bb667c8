package dev.fairlead.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Main class of the child JVM: runs the main class of its second argument, and ends when its
 * standard input ends. The service therefore stops with its launcher in any case, without knowing
 * of launchers.
 *
 * <p>Once that main class has returned, the service has bound its ports. The child then deletes the
 * file of its first argument. Without this file the launcher could not distinguish its child from
 * another process at the port.
 */
public final class ServiceChild {
  private ServiceChild() {}

  /** {@code STARTING_FILE MAIN_CLASS [ARGUMENT...]}. */
  public static void main(String[] args) throws ReflectiveOperationException, IOException {
    Thread watch = new Thread(ServiceChild::endWithParent, "parent-watch");
    watch.setDaemon(true);
    watch.start();
    String[] rest = Arrays.copyOfRange(args, 2, args.length);
    Class.forName(args[1]).getMethod("main", String[].class).invoke(null, (Object) rest);
    Files.deleteIfExists(Path.of(args[0]));
  }

  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) { // no data is sent, only the end of the stream matters
      }
    } catch (IOException e) { // a broken pipe counts as the end too
    }
    System.exit(0);
  }
}
