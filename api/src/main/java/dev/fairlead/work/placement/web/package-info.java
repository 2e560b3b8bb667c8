/** REST endpoints of plans of the whole fleet. */
@NullMarked
package dev.fairlead.work.placement.web;

import org.jspecify.annotations.NullMarked;
