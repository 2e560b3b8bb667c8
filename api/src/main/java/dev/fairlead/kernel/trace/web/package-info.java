/** Spans by OTLP or in the form of Zipkin: of requests that change something, and of jobs. */
@NullMarked
package dev.fairlead.kernel.trace.web;

import org.jspecify.annotations.NullMarked;
