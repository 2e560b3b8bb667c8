/** Follows the event log and feeds what lives on it. */
@NullMarked
package dev.fairlead.work.event.service;

import org.jspecify.annotations.NullMarked;
