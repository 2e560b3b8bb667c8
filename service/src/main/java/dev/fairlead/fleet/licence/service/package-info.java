/** Setting licences, and what is held of them. */
@NullMarked
package dev.fairlead.fleet.licence.service;

import org.jspecify.annotations.NullMarked;
