/** REST endpoints of health events, incidents, quarantines and repairs. */
@NullMarked
package dev.fairlead.care.health.web;

import org.jspecify.annotations.NullMarked;
