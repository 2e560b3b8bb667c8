/** Use cases of members of tenants and projects. */
@NullMarked
package dev.fairlead.membership.service;

import org.jspecify.annotations.NullMarked;
