/** Tells the traces of jobs from their events. */
@NullMarked
package dev.fairlead.trace.service;

import org.jspecify.annotations.NullMarked;
