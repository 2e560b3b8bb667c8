package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.node.window.Opening;
import java.time.Instant;

/**
 * A period in which the windows of a pool are open.
 *
 * @param start start of the period, now for an open window
 * @param end end of the period
 * @param timezone time zone of the window that opens it
 */
record OpeningResponse(Instant start, Instant end, String timezone) {
  static OpeningResponse of(Opening opening) {
    return new OpeningResponse(opening.start(), opening.end(), opening.zone().getId());
  }
}
