package dev.fairlead.work.log.chunk;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.work.log.ForeignLogStore;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.StoreMark;
import java.io.IOException;

/**
 * The mark of the installation that owns the logs of a directory or a bucket, as {@link StoreMark}.
 * Without it a copy of the database would delete the logs of the live one, and logs that are
 * written while a directory is not mounted would be lost under the mount.
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
   * Marks a location that is empty while the index is empty too, or that has the mark of an earlier
   * incarnation.
   *
   * @throws ForeignLogStore if the location belongs to another installation, or does not exist
   * @throws IOException if it cannot be read
   */
  StoreMark check() throws IOException {
    Installation own = leases.installation();
    String text = place.mark();
    if (text.isEmpty()) {
      begin(own);
      return check();
    }
    StoreMark mark = named(text, own);
    if (mark.incarnation() == own.incarnation()) {
      return mark;
    }
    int now = leases.incarnation();
    if (mark.incarnation() > now) {
      throw new ForeignLogStore(
          place.markName()
              + " is of incarnation "
              + mark.incarnation()
              + ", this database has "
              + now
              + ": it is a copy or an older state of the database that owns these logs",
          "If this database is a copy, "
              + SET
              + "a place of its own. If it is the live one from now on, declare it so, as"
              + " docs/how-to/restore.md says.");
    }
    if (mark.incarnation() == now) {
      return mark;
    }
    StoreMark raised = new StoreMark(own.label(), now, "");
    write(raised);
    return raised;
  }

  /**
   * Checks the mark before a deletion.
   *
   * @throws ForeignLogStore also if another database wrote the mark last
   */
  void checkOurs() throws IOException {
    StoreMark mark = check();
    StoreMark.Claim claim = mark.claim(index.nonces());
    switch (claim) {
      case OURS -> {}
      case FREE ->
          throw new ForeignLogStore(
              place.markName() + " is not confirmed by the holder of the lease logs yet",
              "Wait a minute. Nothing is removed before that.");
      case OTHERS, CONTESTED -> throw ForeignLogStore.written(place.markName(), claim, mark);
    }
  }

  void write(StoreMark next) throws IOException {
    place.mark(next.text());
  }

  private static String line(Installation installation) {
    return new StoreMark(installation.label(), installation.incarnation(), "").text();
  }

  private StoreMark named(String text, Installation own) throws ForeignLogStore {
    return StoreMark.of(text)
        .filter(mark -> mark.installation().equals(own.label()))
        .orElseThrow(() ->
            new ForeignLogStore(
                place.markName()
                    + " names \""
                    + text
                    + "\", but this installation is "
                    + own.label(),
                "If the place is wrong, "
                    + SET
                    + "that of this installation. If these logs belong to this installation from now on, write \""
                    + line(own)
                    + "\" there."));
  }

  /** Runs on one thread. Others find its mark. */
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
