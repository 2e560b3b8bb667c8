package dev.fairlead.work.log.chunk;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.work.log.ForeignLogStore;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.StoreClaim;
import java.io.IOException;

/**
 * The claim of the installation that owns the logs of a directory or a bucket, as {@link
 * StoreClaim}. Without it a copy of the database would delete the logs of the live one, and logs
 * that are written while a directory is not mounted would be lost under the mount.
 */
final class PlaceOwner {
  static final String CLAIM = "installation";

  private static final String SET =
      "set FAIRLEAD_LOGS_DIRECTORY, or FAIRLEAD_LOGS_S3_BUCKET and FAIRLEAD_LOGS_S3_PREFIX, to ";

  private final StoreLocation place;
  private final LeaseStore leases;
  private final LogStore index;

  PlaceOwner(StoreLocation place, LeaseStore leases, LogStore index) {
    this.place = place;
    this.leases = leases;
    this.index = index;
  }

  /**
   * Claims a location that is empty while the index is empty too, or that has the claim of an
   * earlier incarnation.
   *
   * @throws ForeignLogStore if the location belongs to another installation, or does not exist
   * @throws IOException if it cannot be read
   */
  StoreClaim check() throws IOException {
    Installation own = leases.installation();
    String text = place.claim();
    if (text.isEmpty()) {
      begin(own);
      return check();
    }
    StoreClaim claim = named(text, own);
    if (claim.incarnation() == own.incarnation()) {
      return claim;
    }
    int now = leases.incarnation();
    if (claim.incarnation() > now) {
      throw new ForeignLogStore(
          place.claimName()
              + " is of incarnation "
              + claim.incarnation()
              + ", this database has "
              + now
              + ": it is a copy or an older state of the database that owns these logs",
          "If this database is a copy, "
              + SET
              + "a separate location. If it is to become the live database, declare it live"
              + " (docs/how-to/restore.md).");
    }
    if (claim.incarnation() == now) {
      return claim;
    }
    StoreClaim raised = new StoreClaim(own.label(), now, "");
    write(raised);
    return raised;
  }

  /**
   * Checks the claim before a deletion.
   *
   * @throws ForeignLogStore also if another database wrote the claim last
   */
  void checkOurs() throws IOException {
    StoreClaim claim = check();
    StoreClaim.Holder holder = claim.holder(index.nonces());
    switch (holder) {
      case OURS -> {}
      case FREE ->
          throw new ForeignLogStore(
              place.claimName() + " is not confirmed by the holder of the lease logs yet",
              "Wait a minute. Until then, nothing is removed.");
      case OTHERS, CONTESTED -> throw ForeignLogStore.written(place.claimName(), holder, claim);
    }
  }

  void write(StoreClaim next) throws IOException {
    place.claim(next.text());
  }

  private static String line(Installation installation) {
    return new StoreClaim(installation.label(), installation.incarnation(), "").text();
  }

  private StoreClaim named(String text, Installation own) throws ForeignLogStore {
    return StoreClaim.of(text)
        .filter(claim -> claim.installation().equals(own.label()))
        .orElseThrow(() ->
            new ForeignLogStore(
                place.claimName()
                    + " names \""
                    + text
                    + "\", but this installation is "
                    + own.label(),
                "If the location is wrong, "
                    + SET
                    + "that of this installation. If these logs are to belong to this"
                    + " installation, write \""
                    + line(own)
                    + "\" there."));
  }

  /** Runs on one thread at a time. Later calls find the claim. */
  private synchronized void begin(Installation own) throws IOException {
    if (!place.claim().isEmpty()) {
      return;
    }
    if (!place.empty() || !index.empty()) {
      String remedy = "If it is the intended store, write \"" + line(own) + "\" there";
      throw new ForeignLogStore(
          "there is no " + place.claimName() + ": " + place.question() + " " + remedy,
          "If it is the wrong store, mount the intended one or " + SET + "it. " + remedy + ".");
    }
    place.claim(line(own));
  }
}
