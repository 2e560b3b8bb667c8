/** Trace headers of requests. */
@NullMarked
package dev.fairlead.kernel.trace.web.spi;

import org.jspecify.annotations.NullMarked;
