package dev.fairlead.log.chunk;

import dev.fairlead.lease.Installation;
import dev.fairlead.lease.LeaseStore;
import dev.fairlead.log.LogStore;
import java.io.IOException;

/**
 * The mark of the installation whose logs a directory or a bucket has: its id and its incarnation.
 * Without it a copy of the database would remove the logs of the live one, and what is written
 * while a directory is not mounted would be lost under the mount.
 */
final class PlaceOwner {
  static final String MARK = "installation";
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
   * @throws IOException when the place is not ours, or not there
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
      throw new IOException(
          place.markName()
              + " is of incarnation "
              + incarnation
              + ", this database has "
              + now.incarnation()
              + ": it is a copy or an older state of the one whose logs these are");
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
      throw new IOException(
          place.markName() + " names \"" + mark + "\", but this installation is " + own.label());
    }
    return Integer.parseInt(parts[1]);
  }

  /** By one thread: the others find its mark. */
  private synchronized void begin(Installation own) throws IOException {
    if (!place.mark().isEmpty()) {
      return;
    }
    if (!place.empty() || !index.empty()) {
      throw new IOException(
          "there is no "
              + place.markName()
              + ": "
              + place.question()
              + " If it is the right one, write \""
              + line(own)
              + "\" there");
    }
    place.mark(line(own));
  }
}
