/** Health events, incidents and quarantines over HTTP. */
@NullMarked
package dev.fairlead.care.health.web;

import org.jspecify.annotations.NullMarked;
