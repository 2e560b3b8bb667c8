/** Spans of jobs and of requests that change something, sent by OTLP or to Zipkin. */
@NullMarked
package dev.fairlead.kernel.trace.web;

import org.jspecify.annotations.NullMarked;
