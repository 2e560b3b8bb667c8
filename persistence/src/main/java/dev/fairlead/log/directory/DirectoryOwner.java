package dev.fairlead.log.directory;

import dev.fairlead.lease.Installation;
import dev.fairlead.lease.LeaseStore;
import dev.fairlead.log.LogStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The mark of the installation whose logs a directory has: a file with its id and its incarnation.
 * Without it a copy of the database would remove the logs of the live one, and what is written
 * while the directory is not mounted would be lost under the mount.
 */
final class DirectoryOwner {
  private static final String MARK = "installation";
  private final Path root;
  private final LeaseStore leases;
  private final LogStore index;

  DirectoryOwner(Path root, LeaseStore leases, LogStore index) {
    this.root = root;
    this.leases = leases;
    this.index = index;
  }

  /**
   * Marks a directory that is empty while the index is empty too, or one of an earlier incarnation.
   *
   * @throws IOException when the directory is not ours, or not there
   */
  void check() throws IOException {
    Installation own = leases.installation();
    String mark = mark();
    if (mark.equals(line(own))) {
      return;
    }
    if (mark.isEmpty()) {
      begin(own);
      check();
      return;
    }
    int incarnation = incarnationOf(mark, own);
    Installation now = new Installation(own.id(), leases.incarnation());
    if (incarnation > now.incarnation()) {
      throw new IOException(
          place()
              + " is of incarnation "
              + incarnation
              + ", this database has "
              + now.incarnation()
              + ": it is a copy or an older state of the one whose logs these are");
    }
    if (incarnation < now.incarnation()) {
      write(now);
    }
  }

  private Path place() {
    return root.resolve(MARK);
  }

  private String mark() throws IOException {
    try {
      return Files.readString(place()).strip();
    } catch (NoSuchFileException none) {
      return "";
    }
  }

  private static String line(Installation installation) {
    return installation.label() + " " + installation.incarnation();
  }

  private int incarnationOf(String mark, Installation own) throws IOException {
    String[] parts = mark.split(" ", -1);
    if (parts.length != 2 || !parts[0].equals(own.label()) || !parts[1].matches("[0-9]{1,9}")) {
      throw new IOException(
          place() + " names \"" + mark + "\", but this installation is " + own.label());
    }
    return Integer.parseInt(parts[1]);
  }

  /** By one thread: the others find its mark. */
  private synchronized void begin(Installation own) throws IOException {
    if (!mark().isEmpty()) {
      return;
    }
    if (!empty() || !index.empty()) {
      throw new IOException(
          "there is no file "
              + place()
              + ": is the directory mounted? If it is the right one, write \""
              + line(own)
              + "\" into that file");
    }
    write(own);
  }

  private void write(Installation installation) throws IOException {
    DirectoryChunkStore.write(
        place(), (line(installation) + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** But for what file systems put there. */
  private boolean empty() throws IOException {
    try (Stream<Path> entries = Files.list(root)) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .allMatch(name -> name.startsWith(".") || name.equals("lost+found"));
    } catch (NoSuchFileException none) {
      return true;
    }
  }
}
