package dev.fairlead.log.chunk;

import dev.fairlead.lease.Installation;
import dev.fairlead.lease.LeaseStore;
import dev.fairlead.log.ForeignLogStore;
import dev.fairlead.log.LogStore;
import java.io.IOException;

/**
 * The mark of the installation whose logs a directory or a bucket has: its id and its incarnation.
 * Without it a copy of the database would remove the logs of the live one, and what is written
 * while a directory is not mounted would be lost under the mount.
 */
final class PlaceOwner {
  static final String MARK = "installation";

  private static final String SET =
      "set FAIRLEAD_LOGS_DIRECTORY, or FAIRLEAD_LOGS_S3_BUCKET and FAIRLEAD_LOGS_S3_PREFIX, to ";

  private final Place place;
  private final LeaseStore leases;
  private final LogStore index;

  PlaceOwner(Place place, LeaseStore leases, LogStore index) {
    this.place = place;
    this.leases = leases;
    this.index = index;
  }

  /**
   * Marks a place that is empty while the index is empty too, or one of an earlier incarnation.
   *
   * @throws ForeignLogStore when the place is not ours, or not there
   * @throws IOException when it cannot be asked
   */
  void check() throws IOException {
    Installation own = leases.installation();
    String mark = place.mark();
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
      throw new ForeignLogStore(
          place.markName()
              + " is of incarnation "
              + incarnation
              + ", this database has "
              + now.incarnation()
              + ": it is a copy or an older state of the one whose logs these are",
          "If this database is a copy, "
              + SET
              + "a place of its own. If it is the live one from now on, declare it so, as"
              + " docs/restore.md says.");
    }
    if (incarnation < now.incarnation()) {
      place.mark(line(now));
    }
  }

  private static String line(Installation installation) {
    return installation.label() + " " + installation.incarnation();
  }

  private int incarnationOf(String mark, Installation own) throws IOException {
    String[] parts = mark.split(" ", -1);
    if (parts.length != 2 || !parts[0].equals(own.label()) || !parts[1].matches("[0-9]{1,9}")) {
      throw new ForeignLogStore(
          place.markName() + " names \"" + mark + "\", but this installation is " + own.label(),
          "If that is the wrong place, "
              + SET
              + "that of this installation. If these logs are its own from now on, write \""
              + line(own)
              + "\" there.");
    }
    return Integer.parseInt(parts[1]);
  }

  /** By one thread: the others find its mark. */
  private synchronized void begin(Installation own) throws IOException {
    if (!place.mark().isEmpty()) {
      return;
    }
    if (!place.empty() || !index.empty()) {
      String claim = "If it is the right one, write \"" + line(own) + "\" there";
      throw new ForeignLogStore(
          "there is no " + place.markName() + ": " + place.question() + " " + claim,
          "If that is the wrong place, mount the right one or " + SET + "it. " + claim + ".");
    }
    place.mark(line(own));
  }
}
