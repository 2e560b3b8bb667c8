/** Health events, incidents and quarantines over HTTP. */
@NullMarked
package dev.fairlead.health.web;

import org.jspecify.annotations.NullMarked;
