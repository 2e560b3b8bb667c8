/** REST endpoints of events, as pages and as a stream. */
@NullMarked
package dev.fairlead.work.relay.web;

import org.jspecify.annotations.NullMarked;
