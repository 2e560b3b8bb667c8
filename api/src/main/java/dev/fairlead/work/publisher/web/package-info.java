/** REST endpoints of events, as pages and as a stream. */
@NullMarked
package dev.fairlead.work.publisher.web;

import org.jspecify.annotations.NullMarked;
