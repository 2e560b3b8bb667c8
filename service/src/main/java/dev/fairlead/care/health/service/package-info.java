/** Stores health events, isolates faulty nodes and answers queries about incidents. */
@NullMarked
package dev.fairlead.care.health.service;

import org.jspecify.annotations.NullMarked;
