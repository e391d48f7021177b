"""Starts moto as an emulator of S3, IAM and STS whose policies are enforced.

Usage: launcher.py --port 5000

It listens on 127.0.0.1 only and keeps everything in memory. The first INITIAL_NO_AUTH_ACTION_COUNT requests (environment
variable, none by default) are served without a signature, to create the first user; from then on every request must be
signed and allowed by a policy. Four things in which moto differs from AWS are corrected below.
"""

import argparse
import datetime
import os
import secrets
from xml.etree import ElementTree

# Read by moto while it is imported.
os.environ.setdefault("INITIAL_NO_AUTH_ACTION_COUNT", "0")

import botocore.auth
from botocore.compat import HTTPHeaders
from moto import settings
from moto.core.authorization import ActionAuthenticatorMixin
from moto.core.responses import ActionResult
from moto.iam import access_control
from moto.iam.access_control import IAMRequest, IAMRequestBase, IAMUserAccessKey, S3IAMRequest
from moto.s3.exceptions import S3AccessDeniedError
from moto.s3.responses import S3Response
from moto.server import main as serve
from moto.sts.responses import TokenResponse


def correct_signatures():
    """AWS signs exactly the headers that SignedHeaders names. Botocore's signer, with which moto computes the signature
    again, leaves some out, such as user-agent; the AWS SDK v1 inside Hadoop's S3A signs it and would be refused."""

    def signing_all_headers(base):
        class Auth(base):
            def headers_to_sign(self, request):
                # moto has already reduced the request's headers to those of SignedHeaders.
                headers = HTTPHeaders()
                for name, value in request.headers.items():
                    headers[name.lower()] = value
                return headers

        return Auth

    s3_auth = signing_all_headers(botocore.auth.S3SigV4Auth)
    auth = signing_all_headers(botocore.auth.SigV4Auth)
    S3IAMRequest._create_auth = lambda self, credentials: s3_auth(credentials, self._service, self._region)
    IAMRequest._create_auth = lambda self, credentials: auth(credentials, self._service, self._region)


def correct_bulk_delete():
    """AWS checks s3:DeleteObject on each key of a DeleteObjects request; moto checks it on the bucket, which no policy for
    objects allows. Unlike on AWS, one key that is denied denies the whole request."""

    check = S3IAMRequest.check_action_permitted

    def check_action_permitted(self, resource):
        of_bucket = "/" not in resource
        if self._action != "s3:DeleteObject" or not of_bucket:
            return check(self, resource)
        for element in ElementTree.fromstring(self._body).iter():
            if element.tag.rpartition("}")[2] == "Key":
                check(self, f"{resource}/{element.text}")

    S3IAMRequest.check_action_permitted = check_action_permitted


def correct_anonymous_requests():
    """AWS answers a request without a signature to a private bucket with 403; moto fails with an internal error."""

    authorize = S3Response._authenticate_and_authorize_s3_action

    def authenticate_and_authorize(self, bucket_name=None, key_name=None):
        enforced = ActionAuthenticatorMixin.request_count >= settings.INITIAL_NO_AUTH_ACTION_COUNT
        if enforced and "Authorization" not in self.headers:
            raise S3AccessDeniedError()
        return authorize(self, bucket_name=bucket_name, key_name=key_name)

    S3Response._authenticate_and_authorize_s3_action = authenticate_and_authorize


class SessionKey(IAMUserAccessKey):
    """A temporary key with the permissions of the user who asked for it."""

    def __init__(self, owner, seconds):
        self.account_id = owner.account_id
        self.partition = owner.partition
        self._owner_user_name = owner._owner_user_name
        self._owner_key_id = owner._access_key_id
        self._access_key_id = "ASIA" + secrets.token_hex(8).upper()
        self._secret_access_key = secrets.token_urlsafe(30)
        self.token = secrets.token_urlsafe(120)
        self.expiration = now() + datetime.timedelta(seconds=seconds)


def correct_session_tokens():
    """AWS hands out a working temporary key by sts:GetSessionToken and asks no permission for it; moto hands out a fixed
    example key, which its own check of signatures refuses. Fluss gives such keys to its clients."""

    session_keys = {}
    find_user_key = access_control.create_access_key

    def create_access_key(account_id, partition, access_key_id, headers):
        found = session_keys.get(access_key_id)
        if found is None:
            return find_user_key(
                account_id=account_id, partition=partition, access_key_id=access_key_id, headers=headers
            )
        if headers.get("X-Amz-Security-Token") != found.token or found.expiration < now():
            raise access_control.CreateAccessKeyFailure(reason="InvalidToken")
        # A deleted key takes the temporary keys that were made with it along.
        find_user_key(account_id=account_id, partition=partition, access_key_id=found._owner_key_id, headers={})
        return found

    def get_session_token(self):
        own_key_id = self.headers["Authorization"].partition("Credential=")[2].partition("/")[0]
        owner = find_user_key(
            account_id=self.current_account, partition=self.partition, access_key_id=own_key_id, headers={}
        )
        for key_id in [key_id for key_id, key in session_keys.items() if key.expiration < now()]:
            del session_keys[key_id]
        key = SessionKey(owner, seconds=self._get_int_param("DurationSeconds", 43200))
        session_keys[key._access_key_id] = key
        return ActionResult(
            {
                "Credentials": {
                    "AccessKeyId": key._access_key_id,
                    "SecretAccessKey": key._secret_access_key,
                    "SessionToken": key.token,
                    "Expiration": key.expiration,
                }
            }
        )

    check = IAMRequestBase.check_action_permitted

    def check_action_permitted(self, resource):
        if self._action != "sts:GetSessionToken":
            check(self, resource)

    access_control.create_access_key = create_access_key
    TokenResponse.get_session_token = get_session_token
    IAMRequest.check_action_permitted = check_action_permitted


def refuse_inactive_keys():
    """AWS answers a request with an inactive key as if the key did not exist; moto takes it."""

    find = IAMUserAccessKey.__init__

    def find_active(self, account_id, partition, access_key_id, headers):
        find(self, account_id=account_id, partition=partition, access_key_id=access_key_id, headers=headers)
        keys = [key for user in self.backend.list_users("/", None, None) for key in user.access_keys]
        if any(key.access_key_id == access_key_id and key.status != "Active" for key in keys):
            raise access_control.CreateAccessKeyFailure(reason="InvalidId")

    IAMUserAccessKey.__init__ = find_active


def now():
    return datetime.datetime.now(datetime.timezone.utc)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="S3, IAM and STS on 127.0.0.1, with enforced policies")
    parser.add_argument("--port", type=int, required=True)
    port = parser.parse_args().port
    correct_signatures()
    correct_bulk_delete()
    correct_anonymous_requests()
    correct_session_tokens()
    refuse_inactive_keys()
    serve(["--host", "127.0.0.1", "--port", str(port)])
