package dev.fairlead.launcher;

import java.io.IOException;
import java.util.Arrays;

/**
 * Main class of the child JVM: runs the main class named by its first argument, and ends when its
 * standard input does. So the service goes down with its launcher, however that ends; the product
 * itself knows nothing of launchers.
 */
public final class ServiceChild {
  private ServiceChild() {}

  /** {@code MAIN_CLASS [ARGUMENT...]}. */
  public static void main(String[] args) throws ReflectiveOperationException {
    Thread watch = new Thread(ServiceChild::endWithParent, "parent-watch");
    watch.setDaemon(true);
    watch.start();
    String[] rest = Arrays.copyOfRange(args, 1, args.length);
    Class.forName(args[0]).getMethod("main", String[].class).invoke(null, (Object) rest);
  }

  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // nothing is ever sent; only the end matters
      }
    } catch (IOException e) {
      // a broken pipe is an end too
    }
    System.exit(0);
  }
}
