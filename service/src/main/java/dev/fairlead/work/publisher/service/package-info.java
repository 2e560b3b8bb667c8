/** Follows the event log and feeds its consumers. */
@NullMarked
package dev.fairlead.work.publisher.service;

import org.jspecify.annotations.NullMarked;
