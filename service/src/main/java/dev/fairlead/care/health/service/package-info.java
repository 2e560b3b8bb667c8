/** Takes health events in, isolates what is sick and answers what happened. */
@NullMarked
package dev.fairlead.care.health.service;

import org.jspecify.annotations.NullMarked;
