package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.node.Opening;
import java.time.Instant;

/**
 * A time for which the windows of a pool are open.
 *
 * @param start when it opens; now, for one that is open
 * @param end when it closes
 * @param timezone of the window that opens it
 */
record OpeningResponse(Instant start, Instant end, String timezone) {
  static OpeningResponse of(Opening opening) {
    return new OpeningResponse(opening.start(), opening.end(), opening.zone().getId());
  }
}
