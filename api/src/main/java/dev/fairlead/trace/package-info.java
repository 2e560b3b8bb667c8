/** Spans by OTLP: of requests that change something, and of jobs. */
@NullMarked
package dev.fairlead.trace;

import org.jspecify.annotations.NullMarked;
