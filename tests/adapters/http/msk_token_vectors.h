// What AWS' own signer makes; written by msk_token_vectors.py. Of aws-msk-iam-sasl-signer-python==1.0.2, boto3==1.44.8, botocore==1.44.8.
#pragma once

#include <cstdint>
#include <string_view>

namespace einlass::http::testing {

struct MskTokenVector {
  std::string_view access_key_id, secret_access_key, session_token, region;
  std::int64_t seconds;      // Since 1970.
  std::string_view address;  // Without the User-Agent behind it.
};

// clang-format off
inline constexpr MskTokenVector kMskTokenVectors[] = {
    {"AKIAIOSFODNN7EXAMPLE",
     "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
     "",
     "eu-west-1",
     1795581000,
     "https://kafka.eu-west-1.amazonaws.com/?Action=kafka-cluster%3AConnect&X-Amz-Algo"
     "rithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20261125%2Feu-wes"
     "t-1%2Fkafka-cluster%2Faws4_request&X-Amz-Date=20261125T043000Z&X-Amz-Expires=900"
     "&X-Amz-SignedHeaders=host&X-Amz-Signature=0481dbc56edfec6a2b7b27a04ed4279b62b790"
     "1f609f7a7ff46b0216e68d03a8"},
    {"AKIAIOSFODNN7EXAMPLE",
     "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
     "",
     "us-east-1",
     1709251199,
     "https://kafka.us-east-1.amazonaws.com/?Action=kafka-cluster%3AConnect&X-Amz-Algo"
     "rithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20240229%2Fus-eas"
     "t-1%2Fkafka-cluster%2Faws4_request&X-Amz-Date=20240229T235959Z&X-Amz-Expires=900"
     "&X-Amz-SignedHeaders=host&X-Amz-Signature=c645e6ed56430faf9e6be91dc3f1a70f07a6d6"
     "e7c41aadd348d0edff6a238817"},
    {"AKIAIOSFODNN7EXAMPLE",
     "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
     "",
     "cn-north-1",
     1798761600,
     "https://kafka.cn-north-1.amazonaws.com/?Action=kafka-cluster%3AConnect&X-Amz-Alg"
     "orithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20270101%2Fcn-no"
     "rth-1%2Fkafka-cluster%2Faws4_request&X-Amz-Date=20270101T000000Z&X-Amz-Expires=9"
     "00&X-Amz-SignedHeaders=host&X-Amz-Signature=1edbf0a74a0f5bac5151b484672e69241f05"
     "ce19c2e4025f1184cb202752de09"},
    {"AKIAIOSFODNN7EXAMPLE",
     "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
     "",
     "us-gov-west-1",
     2147483648,
     "https://kafka.us-gov-west-1.amazonaws.com/?Action=kafka-cluster%3AConnect&X-Amz-"
     "Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20380119%2Fus"
     "-gov-west-1%2Fkafka-cluster%2Faws4_request&X-Amz-Date=20380119T031408Z&X-Amz-Exp"
     "ires=900&X-Amz-SignedHeaders=host&X-Amz-Signature=e39d11ffe6b3dfac08c4c32fd5ecb1"
     "77cf56553624000841e880bc0eee4948f6"},
    {"ASIAQNZGKIQY56JQ7WML",
     "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
     "IQoJb3JpZ2luX2VjEOP//////////wEaCXVzLWVhc3QtMSJHMEUCIQD+a/b=c==",
     "eu-west-1",
     1795581000,
     "https://kafka.eu-west-1.amazonaws.com/?Action=kafka-cluster%3AConnect&X-Amz-Algo"
     "rithm=AWS4-HMAC-SHA256&X-Amz-Credential=ASIAQNZGKIQY56JQ7WML%2F20261125%2Feu-wes"
     "t-1%2Fkafka-cluster%2Faws4_request&X-Amz-Date=20261125T043000Z&X-Amz-Expires=900"
     "&X-Amz-SignedHeaders=host&X-Amz-Security-Token=IQoJb3JpZ2luX2VjEOP%2F%2F%2F%2F%2"
     "F%2F%2F%2F%2F%2FwEaCXVzLWVhc3QtMSJHMEUCIQD%2Ba%2Fb%3Dc%3D%3D&X-Amz-Signature=679"
     "1f8c4641fbef84ecfb49135ad88eab09ceed746895fc194887ffc75c08ad0"},
    {"ASIAQNZGKIQY56JQ7WML",
     "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
     "IQoJb3JpZ2luX2VjEOP//////////wEaCXVzLWVhc3QtMSJHMEUCIQD+a/b=c==IQoJb3JpZ2luX2VjE"
     "OP//////////wEaCXVzLWVhc3QtMSJHMEUCIQD+a/b=c==IQoJb3JpZ2luX2VjEOP//////////wEaCX"
     "VzLWVhc3QtMSJHMEUCIQD+a/b=c==IQoJb3JpZ2luX2VjEOP//////////wEaCXVzLWVhc3QtMSJHMEU"
     "CIQD+a/b=c==IQoJb3JpZ2luX2VjEOP//////////wEaCXVzLWVhc3QtMSJHMEUCIQD+a/b=c==IQoJb"
     "3JpZ2luX2VjEOP//////////wEaCXVzLWVhc3QtMSJHMEUCIQD+a/b=c==IQoJb3JpZ2luX2VjEOP///"
     "///////wEaCXVzLWVhc3QtMSJHMEUCIQD+a/b=c==IQoJb3JpZ2luX2VjEOP//////////wEaCXVzLWV"
     "hc3QtMSJHMEUCIQD+a/b=c==IQoJb3JpZ2luX2VjEOP//////////wEaCXVzLWVhc3QtMSJHMEUCIQD+"
     "a/b=c==IQoJb3JpZ2luX2VjEOP//////////wEaCXVzLWVhc3QtMSJHMEUCIQD+a/b=c==IQoJb3JpZ2"
     "luX2VjEOP//////////wEaCXVzLWVhc3QtMSJHMEUCIQD+a/b=c==IQoJb3JpZ2luX2VjEOP////////"
     "//wEaCXVzLWVhc3QtMSJHMEUCIQD+a/b=c==IQoJb3JpZ2luX2VjEOP//////////wEaCXVzLWVhc3Qt"
     "MSJHMEUCIQD+a/b=c==IQoJb3JpZ2luX2VjEOP//////////wEaCXVzLWVhc3QtMSJHMEUCIQD+a/b=c"
     "==IQoJb3JpZ2luX2VjEOP//////////wEaCXVzLWVhc3QtMSJHMEUCIQD+a/b=c==IQoJb3JpZ2luX2V"
     "jEOP//////////wEaCXVzLWVhc3QtMSJHMEUCIQD+a/b=c==IQoJb3JpZ2luX2VjEOP//////////wEa"
     "CXVzLWVhc3QtMSJHMEUCIQD+a/b=c==IQoJb3JpZ2luX2VjEOP//////////wEaCXVzLWVhc3QtMSJHM"
     "EUCIQD+a/b=c==IQoJb3JpZ2luX2VjEOP//////////wEaCXVzLWVhc3QtMSJHMEUCIQD+a/b=c==IQo"
     "Jb3JpZ2luX2VjEOP//////////wEaCXVzLWVhc3QtMSJHMEUCIQD+a/b=c==",
     "ap-southeast-2",
     1772366401,
     "https://kafka.ap-southeast-2.amazonaws.com/?Action=kafka-cluster%3AConnect&X-Amz"
     "-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=ASIAQNZGKIQY56JQ7WML%2F20260301%2Fa"
     "p-southeast-2%2Fkafka-cluster%2Faws4_request&X-Amz-Date=20260301T120001Z&X-Amz-E"
     "xpires=900&X-Amz-SignedHeaders=host&X-Amz-Security-Token=IQoJb3JpZ2luX2VjEOP%2F%"
     "2F%2F%2F%2F%2F%2F%2F%2F%2FwEaCXVzLWVhc3QtMSJHMEUCIQD%2Ba%2Fb%3Dc%3D%3DIQoJb3JpZ2"
     "luX2VjEOP%2F%2F%2F%2F%2F%2F%2F%2F%2F%2FwEaCXVzLWVhc3QtMSJHMEUCIQD%2Ba%2Fb%3Dc%3D"
     "%3DIQoJb3JpZ2luX2VjEOP%2F%2F%2F%2F%2F%2F%2F%2F%2F%2FwEaCXVzLWVhc3QtMSJHMEUCIQD%2"
     "Ba%2Fb%3Dc%3D%3DIQoJb3JpZ2luX2VjEOP%2F%2F%2F%2F%2F%2F%2F%2F%2F%2FwEaCXVzLWVhc3Qt"
     "MSJHMEUCIQD%2Ba%2Fb%3Dc%3D%3DIQoJb3JpZ2luX2VjEOP%2F%2F%2F%2F%2F%2F%2F%2F%2F%2FwE"
     "aCXVzLWVhc3QtMSJHMEUCIQD%2Ba%2Fb%3Dc%3D%3DIQoJb3JpZ2luX2VjEOP%2F%2F%2F%2F%2F%2F%"
     "2F%2F%2F%2FwEaCXVzLWVhc3QtMSJHMEUCIQD%2Ba%2Fb%3Dc%3D%3DIQoJb3JpZ2luX2VjEOP%2F%2F"
     "%2F%2F%2F%2F%2F%2F%2F%2FwEaCXVzLWVhc3QtMSJHMEUCIQD%2Ba%2Fb%3Dc%3D%3DIQoJb3JpZ2lu"
     "X2VjEOP%2F%2F%2F%2F%2F%2F%2F%2F%2F%2FwEaCXVzLWVhc3QtMSJHMEUCIQD%2Ba%2Fb%3Dc%3D%3"
     "DIQoJb3JpZ2luX2VjEOP%2F%2F%2F%2F%2F%2F%2F%2F%2F%2FwEaCXVzLWVhc3QtMSJHMEUCIQD%2Ba"
     "%2Fb%3Dc%3D%3DIQoJb3JpZ2luX2VjEOP%2F%2F%2F%2F%2F%2F%2F%2F%2F%2FwEaCXVzLWVhc3QtMS"
     "JHMEUCIQD%2Ba%2Fb%3Dc%3D%3DIQoJb3JpZ2luX2VjEOP%2F%2F%2F%2F%2F%2F%2F%2F%2F%2FwEaC"
     "XVzLWVhc3QtMSJHMEUCIQD%2Ba%2Fb%3Dc%3D%3DIQoJb3JpZ2luX2VjEOP%2F%2F%2F%2F%2F%2F%2F"
     "%2F%2F%2FwEaCXVzLWVhc3QtMSJHMEUCIQD%2Ba%2Fb%3Dc%3D%3DIQoJb3JpZ2luX2VjEOP%2F%2F%2"
     "F%2F%2F%2F%2F%2F%2F%2FwEaCXVzLWVhc3QtMSJHMEUCIQD%2Ba%2Fb%3Dc%3D%3DIQoJb3JpZ2luX2"
     "VjEOP%2F%2F%2F%2F%2F%2F%2F%2F%2F%2FwEaCXVzLWVhc3QtMSJHMEUCIQD%2Ba%2Fb%3Dc%3D%3DI"
     "QoJb3JpZ2luX2VjEOP%2F%2F%2F%2F%2F%2F%2F%2F%2F%2FwEaCXVzLWVhc3QtMSJHMEUCIQD%2Ba%2"
     "Fb%3Dc%3D%3DIQoJb3JpZ2luX2VjEOP%2F%2F%2F%2F%2F%2F%2F%2F%2F%2FwEaCXVzLWVhc3QtMSJH"
     "MEUCIQD%2Ba%2Fb%3Dc%3D%3DIQoJb3JpZ2luX2VjEOP%2F%2F%2F%2F%2F%2F%2F%2F%2F%2FwEaCXV"
     "zLWVhc3QtMSJHMEUCIQD%2Ba%2Fb%3Dc%3D%3DIQoJb3JpZ2luX2VjEOP%2F%2F%2F%2F%2F%2F%2F%2"
     "F%2F%2FwEaCXVzLWVhc3QtMSJHMEUCIQD%2Ba%2Fb%3Dc%3D%3DIQoJb3JpZ2luX2VjEOP%2F%2F%2F%"
     "2F%2F%2F%2F%2F%2F%2FwEaCXVzLWVhc3QtMSJHMEUCIQD%2Ba%2Fb%3Dc%3D%3DIQoJb3JpZ2luX2Vj"
     "EOP%2F%2F%2F%2F%2F%2F%2F%2F%2F%2FwEaCXVzLWVhc3QtMSJHMEUCIQD%2Ba%2Fb%3Dc%3D%3D&X-"
     "Amz-Signature=276742972c4e20226cf2c04a5cea2214cf140ea907eb43b086a0d8b201de71c5"},
    {"ASIAQNZGKIQY56JQ7WML",
     "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
     "IQoJb3JpZ2luX2VjEOP//////////wEaCXVzLWVhc3QtMSJHMEUCIQD+a/b=c==",
     "cn-northwest-1",
     1795581000,
     "https://kafka.cn-northwest-1.amazonaws.com/?Action=kafka-cluster%3AConnect&X-Amz"
     "-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=ASIAQNZGKIQY56JQ7WML%2F20261125%2Fc"
     "n-northwest-1%2Fkafka-cluster%2Faws4_request&X-Amz-Date=20261125T043000Z&X-Amz-E"
     "xpires=900&X-Amz-SignedHeaders=host&X-Amz-Security-Token=IQoJb3JpZ2luX2VjEOP%2F%"
     "2F%2F%2F%2F%2F%2F%2F%2F%2FwEaCXVzLWVhc3QtMSJHMEUCIQD%2Ba%2Fb%3Dc%3D%3D&X-Amz-Sig"
     "nature=48a9ee9b9885a1aff1793b7078addaeb5204a24036703e0b024b8c40cba7231a"},
    {"ASIAQNZGKIQY56JQ7WML",
     "+/=%&?#!~*'();:@,$[]\\\"<>`{}|^._-",
     "~._-+/=%25&a=b?#!*'();:@,$[]<>`{}|^\\\"",
     "me-central-1",
     1798761599,
     "https://kafka.me-central-1.amazonaws.com/?Action=kafka-cluster%3AConnect&X-Amz-A"
     "lgorithm=AWS4-HMAC-SHA256&X-Amz-Credential=ASIAQNZGKIQY56JQ7WML%2F20261231%2Fme-"
     "central-1%2Fkafka-cluster%2Faws4_request&X-Amz-Date=20261231T235959Z&X-Amz-Expir"
     "es=900&X-Amz-SignedHeaders=host&X-Amz-Security-Token=~._-%2B%2F%3D%2525%26a%3Db%"
     "3F%23%21%2A%27%28%29%3B%3A%40%2C%24%5B%5D%3C%3E%60%7B%7D%7C%5E%5C%22&X-Amz-Signa"
     "ture=755a5de68afb2346631ea331fde67a2d2d3581b079bbd9784b47a4ec0ed995af"},
};
// clang-format on

}  // namespace einlass::http::testing
