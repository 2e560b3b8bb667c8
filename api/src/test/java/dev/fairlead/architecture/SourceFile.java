package dev.fairlead.architecture;

/**
 * One hand-written file.
 *
 * @param module the Maven module, for example {@code domain}
 * @param path relative to the root of the work tree
 */
record SourceFile(String module, String path, String text) {

  long lines() {
    return text.lines().count();
  }

  String fileName() {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
